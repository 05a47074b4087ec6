internal import SetteeEngine
internal import StorageProtocol

/// A row's position in an index, as bytes that sort like the rows: the sort key (none is a prefix of another), the
/// document's ID, 00, and the emit number in four bytes, the highest first.
///
/// Positions divide an index into blocks. Whether a row begins a block depends only on a hash of its position, so that
/// blocks do not depend on the order in which rows were added and removed. Of 2^`levelBits` rows one begins a block of
/// level 1; of as many of these, one begins a block of level 2; and so on.
struct RowOrderKey: Sendable, Equatable {
    /// How many more bits of the hash must be zero for each level.
    static let levelBits = 5
    /// The highest level of blocks. It divides 2^30 rows.
    static let topLevel = 6

    let bytes: [UInt8]
    /// How many of the bytes belong to the sort key.
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

    /// Restores a stored key. Nil: the bytes do not have this form.
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

    /// The highest level of which a block begins here; 0: none does.
    var level: Int {
        let whole = unsafe bytes.span.bytes
        return RowOrderKey.level(
            key: whole.extracting(0..<keyLength),
            id: whole.extracting(keyLength..<(bytes.count - 5)),
            emit: emit
        )
    }

    /// Returns the highest level of which a block begins at this row; 0: none does.
    static func level(of row: borrowing IndexRowView) -> Int {
        let emit = row.emit
        return row.withKey { key in row.withID { id in level(key: key, id: id, emit: emit) } }
    }

    static func level(key: RawSpan, id: RawSpan, emit: UInt32) -> Int {
        let hash = ByteHash.of(id, seed: ByteHash.of(key, seed: UInt64(emit)))
        return min(hash.trailingZeroBitCount / levelBits, topLevel)
    }

    /// Returns whether this key is before all positions that `position` stands for (negative), one of them (0), or
    /// after them (positive).
    func order(to position: IndexPosition) -> Int {
        let whole = unsafe bytes.span.bytes
        let keys = unsafe compareBytes(whole.extracting(0..<keyLength), position.key.span.bytes)
        guard keys == 0, let id = position.documentID else { return keys }
        let ids = unsafe compareBytes(whole.extracting(keyLength..<(bytes.count - 5)), id.span.bytes)
        guard ids == 0, let other = position.emit else { return ids }
        return emit < other ? -1 : emit > other ? 1 : 0
    }
}
