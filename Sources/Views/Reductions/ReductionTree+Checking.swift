internal import SetteeEngine
internal import StorageProtocol

extension ReductionTree {
    /// Returns how many stored summaries differ from a new reduction of their rows, or belong to no block. 0 if what is
    /// stored belongs to another reduction, because it is never read.
    ///
    /// - Complexity: O(rows).
    func checkSummaries(in transaction: any IndexReader) throws(StorageError) -> Int {
        guard try isStored(in: transaction) else { return 0 }
        var stored = 0
        try transaction.orderedEntries(index, in: ByteRange(lower: .including([1])), descending: false) { _, _ in
            stored += 1
            return true
        }
        var check = SummaryCheck(tree: self, transaction: transaction)
        try transaction.orderedRows(index, in: .all, descending: false) { (row) throws(StorageError) in
            try check.add(row)
            return true
        }
        try check.close(upTo: RowOrderKey.topLevel, at: .end)
        return check.wrong + stored - check.found
    }
}

/// Reduces all blocks of an index in one pass, each level from the level below.
private struct SummaryCheck {
    let tree: ReductionTree
    let transaction: any IndexReader
    /// How many stored summaries belong to existing blocks, and how many of these are wrong.
    var found = 0
    var wrong = 0
    private let runs: [ReductionRun]
    /// Where the open block of each level begins, and whether its reduction has failed.
    private var starts = [BlockEdge](repeating: .start, count: RowOrderKey.topLevel)
    private var failed = [Bool](repeating: false, count: RowOrderKey.topLevel)

    init(tree: ReductionTree, transaction: any IndexReader) {
        self.tree = tree
        self.transaction = transaction
        runs = (1...RowOrderKey.topLevel).map { _ in ReductionRun(tree.reduce) }
    }

    mutating func add(_ row: borrowing IndexRowView) throws(StorageError) {
        let level = RowOrderKey.level(of: row)
        if level > 0 { try close(upTo: level, at: .before(RowOrderKey(row))) }
        _ = runs[0].add(row)
    }

    /// Ends the open blocks of all levels up to `top`, and begins the next ones.
    mutating func close(upTo top: Int, at edge: BlockEdge) throws(StorageError) {
        for level in 1...top {
            let start = starts[level - 1]
            let result = runs[level - 1].finish()
            var part: ReducedPart?
            if case .success(let made) = result, !failed[level - 1] { part = made }
            if let part {
                if level < RowOrderKey.topLevel { runs[level].add(part) }
            } else if level < RowOrderKey.topLevel {
                failed[level] = true
            }
            try compare(level, start, edge, part)
            starts[level - 1] = edge
            failed[level - 1] = false
        }
    }

    private mutating func compare(
        _ level: Int,
        _ start: BlockEdge,
        _ end: BlockEdge,
        _ part: ReducedPart?
    ) throws(StorageError) {
        let key = BlockSummary.key(level: level, start)
        guard let bytes = try transaction.indexEntry(tree.index, key: key) else { return }
        found += 1
        guard let summary = unsafe BlockSummary(bytes.span.bytes, by: tree.reduce), summary.end == end else {
            wrong += 1
            return
        }
        if let part {
            if !summary.part.isSame(as: part) { wrong += 1 }
        } else if !tree.reduce.isClosure {
            // Not for a function of the application: an error now does not show that its result was wrong then.
            wrong += 1
        }
    }
}
