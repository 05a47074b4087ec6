internal import StorageProtocol

/// Like `PositionOrder`, for sequences.
struct SequenceOrder {
    private var rest: ClosedRange<UInt64>
    private var isOver = false
    private let descending: Bool
    private let what: StaticString

    init(_ range: ClosedRange<UInt64>, descending: Bool, of what: StaticString) {
        rest = range
        self.descending = descending
        self.what = what
    }

    /// - Throws: `corrupt` (591) if the sequence is not after the last one, or outside the range.
    mutating func advance(to sequence: UInt64) throws(StorageError) {
        guard !isOver, rest.contains(sequence) else { throw .outOfOrder(what) }
        if sequence == (descending ? rest.lowerBound : rest.upperBound) {
            isOver = true
        } else {
            rest = descending ? rest.lowerBound...sequence - 1 : sequence + 1...rest.upperBound
        }
    }
}
