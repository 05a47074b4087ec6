internal import SetteeEngine
internal import StorageProtocol

/// Divides a walk over documents.
enum RecordPieces {
    /// How often a range is halved.
    private static let halvings = 6

    /// Returns walks that together read what a walk does, in the same order: ranges of IDs, or the engine's own parts
    /// where it walks over all of them.
    ///
    /// - Complexity: at most some hundred searches for an ID.
    static func of(_ walk: RecordWalk, _ transaction: any ReadTransaction) throws(StorageError) -> [RecordWalk] {
        switch walk {
        case .ids(let range, let descending):
            let walks = try ranges(range, transaction).map { RecordWalk.ids($0, descending: descending) }
            return descending ? walks.reversed() : walks
        case .part(0, of: 1): return (0..<1 << halvings).map { .part($0, of: 1 << halvings) }
        case .part: return [walk]
        }
    }

    private static func ranges(
        _ whole: ByteRange,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> [ByteRange] {
        guard let first = try firstID(whole, transaction), let last = try firstID(whole, descending: true, transaction)
        else {
            return [whole]
        }
        var bounds: [[UInt8]] = []
        try split(first, last, halvings, &bounds, transaction)
        var pieces: [ByteRange] = []
        var lower = whole.lower
        for bound in bounds {
            pieces.append(ByteRange(lower: lower, upper: .excluding(bound)))
            lower = .including(bound)
        }
        return pieces + [ByteRange(lower: lower, upper: whole.upper)]
    }

    /// Adds IDs between two others, in order, each of a document or of the end of a gap.
    private static func split(
        _ lower: [UInt8],
        _ upper: [UInt8],
        _ depth: Int,
        _ bounds: inout [[UInt8]],
        _ transaction: any ReadTransaction
    ) throws(StorageError) {
        guard depth > 0, let middle = middle(lower, upper) else { return }
        let range = ByteRange(lower: .including(middle), upper: .excluding(upper))
        let found = try firstID(range, transaction)
        try split(lower, middle, depth - 1, &bounds, transaction)
        guard let found else { return }
        bounds.append(found)
        try split(found, upper, depth - 1, &bounds, transaction)
    }

    private static func firstID(
        _ range: ByteRange,
        descending: Bool = false,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> [UInt8]? {
        var id: [UInt8]?
        try transaction.orderedRecords(in: range, descending: descending, fields: .metadata) { record in
            id = record.withID { id in unsafe id.withUnsafeBytes { unsafe Array($0) } }
            return false
        }
        return id
    }

    /// The byte string in the middle of two others, by the eight bytes behind what they have in common; nil if there is
    /// none.
    private static func middle(_ lower: [UInt8], _ upper: [UInt8]) -> [UInt8]? {
        let common = zip(lower, upper).prefix { $0 == $1 }.count
        func number(_ id: [UInt8]) -> UInt64 {
            var number: UInt64 = 0
            for place in common..<common + 8 { number = number << 8 | UInt64(place < id.count ? id[place] : 0) }
            return number
        }
        let (low, high) = (number(lower), number(upper))
        guard low < high, high - low > 1 else { return nil }
        let middle = low + (high - low) / 2
        var id = Array(lower.prefix(common))
        for shift in stride(from: 56, through: 0, by: -8) {
            id.append(UInt8(truncatingIfNeeded: middle >> UInt64(shift)))
        }
        while id.last == 0 { id.removeLast() }
        return lower.lexicographicallyPrecedes(id) && id.lexicographicallyPrecedes(upper) ? id : nil
    }
}
