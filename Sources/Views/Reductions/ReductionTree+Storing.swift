internal import SetteeEngine
internal import StorageProtocol

extension ReductionTree {
    /// Makes and stores the missing summaries. A block whose reduction fails gets none, and neither do the blocks that
    /// contain it. That is not an error here, but in queries that need the rows.
    ///
    /// - Parameter rows: about how many rows may be read. For a long index, call it repeatedly, each time in a
    ///   transaction of its own.
    /// - Returns: whether everything possible is done; false if some summaries were stored and more are missing.
    /// - Complexity: O(rows read), and O(log(rows)) for each missing block.
    func storeSummaries(upTo rows: Int = .max, in transaction: any IndexWriter) throws(StorageError) -> Bool {
        if try !isStored(in: transaction) {
            try dropSummaries(in: transaction)
            try transaction.putIndexEntry(index, key: ReductionTree.identityKey, value: identity)
        }
        var work = SummaryWork(tree: self, transaction: transaction, allowance: rows)
        let outcome = try work.block(level: RowOrderKey.topLevel, from: .start)
        try work.write()
        guard case .stopped = outcome else { return true }
        // If all rows that may be read belong to blocks whose reduction fails, another call would get no further.
        return work.stored == 0 && rows > 0
    }
}

/// Makes summaries in one transaction.
private struct SummaryWork {
    enum Outcome {
        case summary(BlockSummary)
        /// The reduction failed or cannot be stored. The end of the block is still known.
        case failed(end: BlockEdge)
        /// The allowance is used up.
        case stopped
    }

    let tree: ReductionTree
    let transaction: any IndexWriter
    /// How many more rows may be read.
    var allowance: Int
    /// How many summaries were stored.
    private(set) var stored = 0
    /// Summaries that are not written yet. None of them is looked up again.
    private var entries = IndexEntries()
    private var bytes = 0
    /// How many bytes are collected before they are written.
    private static let mostGatheredBytes = 1 << 20
    private let runs: [ReductionRun]

    init(tree: ReductionTree, transaction: any IndexWriter, allowance: Int) {
        self.tree = tree
        self.transaction = transaction
        self.allowance = allowance
        runs = (1...RowOrderKey.topLevel).map { _ in ReductionRun(tree.reduce) }
    }

    /// Returns the summary of a block. Makes and stores it if it is missing.
    mutating func block(level: Int, from start: BlockEdge) throws(StorageError) -> Outcome {
        if let stored = try stored(level, start) { return .summary(stored) }
        let run = runs[level - 1]
        if level == 1 {
            guard allowance > 0 else { return .stopped }
            let end = try addRows(from: start, to: run)
            return try store(run.finish(), level, start, end)
        }
        var parts = 0
        var hasFailed = false
        var edge = start
        repeat {
            switch try block(level: level - 1, from: edge) {
            case .stopped:
                _ = run.finish()
                return .stopped
            case .failed(let end):
                hasFailed = true
                edge = end
            case .summary(let summary):
                parts += 1
                edge = summary.end
                // All rows are in one block, so there is nothing to combine at this level and above.
                if parts == 1, start == .start, edge == .end { return .summary(summary) }
                run.add(summary.part)
            }
        } while edge != .end && edge.level < level
        let result = run.finish()
        return hasFailed ? .failed(end: edge) : try store(result, level, start, edge)
    }

    private func stored(_ level: Int, _ start: BlockEdge) throws(StorageError) -> BlockSummary? {
        let key = BlockSummary.key(level: level, start)
        guard let bytes = try transaction.indexEntry(tree.index, key: key) else { return nil }
        guard let summary = unsafe BlockSummary(bytes.span.bytes, by: tree.reduce) else { return nil }
        // A damaged summary that leads backwards is made again.
        return start.isBefore(summary.end) ? summary : nil
    }

    private mutating func store(
        _ result: Result<ReducedPart, any Error>,
        _ level: Int,
        _ start: BlockEdge,
        _ end: BlockEdge
    ) throws(StorageError) -> Outcome {
        guard case .success(let part) = result else { return .failed(end: end) }
        let summary = BlockSummary(end: end, part: part)
        guard let value = try? summary.value(start: start) else { return .failed(end: end) }
        let key = BlockSummary.key(level: level, start)
        unsafe entries.append(key: key.span.bytes, value: value.span.bytes)
        bytes += key.count + value.count
        if bytes > SummaryWork.mostGatheredBytes { try write() }
        stored += 1
        return .summary(summary)
    }

    /// Writes the summaries collected.
    mutating func write() throws(StorageError) {
        guard entries.count > 0 else { return }
        try transaction.putIndexEntries(tree.index, entries)
        entries.removeAll()
        bytes = 0
    }

    /// Adds the rows from `start` up to the beginning of the next block.
    ///
    /// - Returns: where that block begins.
    private mutating func addRows(from start: BlockEdge, to run: ReductionRun) throws(StorageError) -> BlockEdge {
        var end = BlockEdge.end
        var isFirst = start != .start
        var taken = 0
        try transaction.orderedRows(tree.index, in: ReductionTree.rows(from: start), descending: false) {
            (row) throws(StorageError) in
            if !isFirst, RowOrderKey.level(of: row) > 0 {
                end = .before(RowOrderKey(row))
                return false
            }
            isFirst = false
            taken += 1
            // If the reduction has failed, the end is still needed.
            _ = run.add(row)
            return true
        }
        allowance -= taken
        return end
    }
}
