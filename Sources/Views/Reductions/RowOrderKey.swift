internal import SetteeEngine
internal import StorageProtocol

/// A row's place in an index as bytes that are ordered as the rows are: the sort key (of which none begins with
/// another), the document's ID, 00, and the emit number in four bytes, the highest first.
///
/// Places divide an index into blocks. Whether a row begins one depends on a hash of its place alone, so that the
/// blocks do not depend on the order in which rows came and went: of 2^`levelBits` rows one begins a block of level 1,
/// of as many of these one begins a block of level 2, and so on.
struct RowOrderKey: Sendable, Equatable {
    /// How many bits of the hash must be zero for each level.
    static let levelBits = 5
    /// Above it there are no blocks: it divides 2^30 rows.
    static let topLevel = 6

    let bytes: [UInt8]
    /// How many of the bytes are the sort key.
    let keyLength: Int

    init(key: RawSpan, id: RawSpan, emit: UInt32) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(key.byteCount + id.byteCount + 5)
        unsafe key.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        unsafe id.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        bytes.append(0)
        for shift in stride(from: UInt32(24), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: emit >> shift))
        }
        self.bytes = bytes
        keyLength = key.byteCount
    }

    init(_ row: borrowing IndexRowView) {
        let emit = row.emit
        self = row.withKey { key in row.withID { id in RowOrderKey(key: key, id: id, emit: emit) } }
    }

    /// As it was stored. Nil: the bytes are too few.
    init?(bytes: [UInt8], keyLength: Int) {
        guard keyLength > 0, bytes.count - 5 >= keyLength, bytes[bytes.count - 5] == 0 else { return nil }
        self.bytes = bytes
        self.keyLength = keyLength
    }

    var position: IndexPosition {
        IndexPosition(
            key: Array(bytes[..<keyLength]),
            documentID: Array(bytes[keyLength..<(bytes.count - 5)]),
            emit: emit
        )
    }

    private var emit: UInt32 { bytes.suffix(4).reduce(0) { $0 << 8 | UInt32($1) } }

    /// The greatest level of which a block begins here; 0: none does.
    var level: Int {
        let whole = unsafe bytes.span.bytes
        return RowOrderKey.level(
            key: whole.extracting(0..<keyLength),
            id: whole.extracting(keyLength..<(bytes.count - 5)),
            emit: emit
        )
    }

    /// The greatest level of which a block begins at this row; 0: none does.
    static func level(of row: borrowing IndexRowView) -> Int {
        let emit = row.emit
        return row.withKey { key in row.withID { id in level(key: key, id: id, emit: emit) } }
    }

    static func level(key: RawSpan, id: RawSpan, emit: UInt32) -> Int {
        let hash = ByteHash.of(id, seed: ByteHash.of(key, seed: UInt64(emit)))
        return min(hash.trailingZeroBitCount / levelBits, topLevel)
    }

    /// Whether this place is before all those that `position` stands for (negative), one of them (0), or behind them.
    func order(to position: IndexPosition) -> Int {
        let whole = unsafe bytes.span.bytes
        let keys = unsafe compareBytes(whole.extracting(0..<keyLength), position.key.span.bytes)
        guard keys == 0, let id = position.documentID else { return keys }
        let ids = unsafe compareBytes(whole.extracting(keyLength..<(bytes.count - 5)), id.span.bytes)
        guard ids == 0, let other = position.emit else { return ids }
        return emit < other ? -1 : emit > other ? 1 : 0
    }
}
