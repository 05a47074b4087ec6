internal import SetteeEngine
internal import StorageProtocol

/// The reduction of an index, part of which is stored as summaries of blocks of rows, so that few rows are read to
/// reduce a long range.
///
/// `storeSummaries` makes summaries. `discardSummaries` removes them when rows in their block change, in the same
/// transaction. A stored summary of level 2 or above was made from stored summaries of the level below, and all of
/// these exist. Readers use the summaries that exist, and read rows elsewhere. `docs/reference/encodings.md` describes
/// the bytes.
struct ReductionTree: Sendable {
    let index: String
    let reduce: Reduce
    /// Whether only the numbers of rows are read in the summaries.
    var countsOnly = false

    /// The key, below the keys of all levels, of the identity that the stored summaries were made with.
    static let identityKey: [UInt8] = [0]
    private static let identityVersion: UInt8 = 1

    var identity: [UInt8] { [ReductionTree.identityVersion] + Array(reduce.identity.utf8) }

    /// Returns whether the stored summaries belong to this reduction.
    func isStored(in transaction: any IndexReader) throws(StorageError) -> Bool {
        try transaction.indexEntry(index, key: ReductionTree.identityKey) == identity
    }

    /// Returns the reduction of the rows within `range`; nil if there are none.
    ///
    /// - Throws: `notFound` (404) if there is no such index, and what the reduction throws.
    /// - Complexity: O(log(rows)), if the summaries are stored.
    func reduce(range: IndexRange, in transaction: any IndexReader) throws -> ReducedGroup? {
        var result: ReducedGroup?
        try GroupWalk(tree: self, grouping: .none, range: range, descending: false).forEach(in: transaction) { group in
            result = group
            return true
        }
        return result
    }

    /// Reads the reduction in a summary, from `offset` up to the end. Nil: the bytes do not have this form.
    func part(_ bytes: RawSpan, from offset: inout Int) -> ReducedPart? {
        guard countsOnly else { return ReducedPart(bytes, from: &offset, by: reduce) }
        return SummaryReader.number(bytes, &offset).map { ReducedPart(rowCount: $0, content: .rows) }
    }

    /// Returns the keys of all blocks of a level that begin at or after `start`.
    static func keys(level: Int, from start: BlockEdge) -> ByteRange {
        ByteRange(
            lower: .including(BlockSummary.key(level: level, start)),
            upper: .excluding([UInt8(level + 1)])
        )
    }

    /// Returns the keys of all blocks of a level that begin before `end`, or at `end` if `included`.
    static func keys(level: Int, upTo end: BlockEdge, included: Bool) -> ByteRange {
        let key = BlockSummary.key(level: level, end)
        return ByteRange(lower: .including([UInt8(level)]), upper: included ? .including(key) : .excluding(key))
    }

    /// Returns all rows from `start` on.
    static func rows(from start: BlockEdge) -> IndexRange {
        switch start {
        case .start: .all
        case .before(let place): IndexRange(lower: .including(place.position))
        case .end: IndexRange(lower: .excluding(IndexPosition(key: [0xFF])))
        }
    }
}
