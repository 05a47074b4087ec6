/// Where a walk in the order of sequences is.
///
/// Each record that the index on `sequence` leads to is looked up in the table. New records come in the table one
/// behind another, in the order of their sequences. A row there whose sequence is one more than that of the row before
/// is the next in the order of sequences, too, whatever other rows there are: so the walk can go through the table
/// itself, for as long as that holds.
struct SequenceWalk {
    /// The number and the sequence of the last record passed.
    private(set) var number: Int64 = 0
    private var last: UInt64
    private let upper: UInt64
    /// How many neighbours the index has led to since the walk left the table; in the table, how many there were.
    private var neighbours = 0
    /// How many neighbours the index must lead to before the walk goes on in the table.
    private var needed = SequenceWalk.fewest
    private(set) var isInTable = false
    private(set) var isOver = false

    /// To begin in the table costs as much as a few look-ups.
    private static let fewest = 8
    private static let most = 4096

    init(_ range: ClosedRange<UInt64>) {
        // Sequence 0 is never used.
        last = max(range.lowerBound, 1) - 1
        upper = range.upperBound
        isOver = last >= upper
    }

    /// The sequences that were not passed yet.
    var rest: ClosedRange<UInt64> { min(last + 1, upper)...upper }

    /// A record that the index led to.
    mutating func pass(number: Int64, sequence: Int64) {
        let isNeighbour = number == self.number &+ 1 && UInt64(bitPattern: sequence) == last + 1
        neighbours = isNeighbour ? neighbours + 1 : 0
        self.number = number
        // Never backwards, even if the index is damaged.
        last = max(last, UInt64(clamping: sequence))
        isOver = isOver || last >= upper
        isInTable = neighbours >= needed && !isOver
    }

    /// Whether a row of the table, the next one after the last record passed, is the next record.
    mutating func follows(number: Int64, sequence: Int64) -> Bool {
        guard UInt64(bitPattern: sequence) == last + 1, !isOver else { return false }
        self.number = number
        last += 1
        neighbours += 1
        isOver = last >= upper
        return true
    }

    /// Goes back to the index. Where it was of little use, it takes longer until the table is used again.
    mutating func leaveTable() {
        isInTable = false
        needed = neighbours < 4 * needed ? min(2 * needed, SequenceWalk.most) : SequenceWalk.fewest
        neighbours = 0
    }

    mutating func end() {
        isOver = true
        isInTable = false
    }
}
