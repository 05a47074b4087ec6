internal import SetteeEngine
internal import StorageProtocol

/// The reduction of an index, with what of it is stored: summaries of blocks of rows, so that a range of many rows is
/// reduced by reading few.
///
/// Summaries are made by `storeSummaries` and removed by `discardSummaries` when rows in their block change, in the
/// same transaction. A stored summary of level 2 or above was made of stored ones of the level below, and all of these
/// are there. A reader takes what is there and reads rows where nothing is. `docs/reference/encodings.md` describes the
/// bytes.
struct ReductionTree: Sendable {
    let index: String
    let reduce: Reduce

    /// What stored summaries were made with, under a key of its own below those of the levels.
    static let identityKey: [UInt8] = [0]
    private static let identityVersion: UInt8 = 1

    var identity: [UInt8] { [ReductionTree.identityVersion] + Array(reduce.identity.utf8) }

    /// Whether the stored summaries are of this reduction.
    func isStored(in transaction: any IndexReader) throws(StorageError) -> Bool {
        try transaction.indexEntry(index, key: ReductionTree.identityKey) == identity
    }

    /// What the rows within `range` are reduced to, nil where there is none.
    ///
    /// - Throws: `notFound` (404) where there is no such index, and what the reduction throws.
    /// - Complexity: O(log(rows)), where the summaries are stored.
    func reduce(range: IndexRange, in transaction: any IndexReader) throws -> ReducedGroup? {
        var result: ReducedGroup?
        try GroupWalk(tree: self, grouping: .none, range: range, descending: false).forEach(in: transaction) { group in
            result = group
            return true
        }
        return result
    }

    /// The keys of all blocks of a level that begin at or behind `start`.
    static func keys(level: Int, from start: BlockEdge) -> ByteRange {
        ByteRange(
            lower: .including(BlockSummary.key(level: level, start)),
            upper: .excluding([UInt8(level + 1)])
        )
    }

    /// The keys of all blocks of a level that begin before `end`, or there, if it is included.
    static func keys(level: Int, upTo end: BlockEdge, included: Bool) -> ByteRange {
        let key = BlockSummary.key(level: level, end)
        return ByteRange(lower: .including([UInt8(level)]), upper: included ? .including(key) : .excluding(key))
    }

    /// All rows from `start` on.
    static func rows(from start: BlockEdge) -> IndexRange {
        switch start {
        case .start: .all
        case .before(let place): IndexRange(lower: .including(place.position))
        case .end: IndexRange(lower: .excluding(IndexPosition(key: [0xFF])))
        }
    }
}
