internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// Stores the parts of reductions that an up-to-date index lacks.
struct SummaryUpdater {
    let database: Database
    let cancellation: Cancellation?

    /// About how many rows are read in one transaction.
    private static let rowsAtATime = 20_000
    /// The same for a function that may run in another process: writers wait meanwhile.
    private static let textRowsAtATime = 2_000

    /// Stores the missing parts of reductions, unless that was done since the index last changed.
    func storeSummaries(of name: IndexName) throws(StorageError) {
        guard !database.isWriting else { return }
        var isDone = false
        while !isDone {
            try cancellation?.check()
            let found = try database.withReadTransaction {
                (transaction) throws(StorageError) -> (ReductionTree, SummaryMark)? in
                try summaries(of: name, in: transaction)
            }
            guard let (tree, mark) = found, database.viewRegistry.summaryMark(tree.index) != mark else { return }
            isDone = try database.change { (session) throws(StorageError) in
                guard let (present, new) = try summaries(of: name, in: session.transaction),
                    present.index == tree.index, new.reduce == mark.reduce
                else { return true }
                session.noteChange()
                // Stored parts of another reduction are dropped all at once.
                if try !tree.isStored(in: session.transaction) { session.hasDroppedIndexes = true }
                let isDone = try database.withClosure("reduce") { () throws(StorageError) in
                    try tree.storeSummaries(
                        upTo: tree.reduce.takesTexts ? SummaryUpdater.textRowsAtATime : SummaryUpdater.rowsAtATime,
                        in: session.transaction
                    )
                }
                guard isDone else { return false }
                let registry = database.viewRegistry
                session.whenEnded { committed in if committed { registry.setSummaryMark(new, for: tree.index) } }
                return true
            }
        }
    }

    /// Returns the reduction of a view's index, and when its rows last changed; nil if there is none.
    private func summaries(
        of name: IndexName,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> (ReductionTree, SummaryMark)? {
        guard let function = try database.viewFunction(name, in: transaction), let reduce = function.reduce,
            let record = try IndexRecord.load(name, in: transaction), record.version == function.version,
            record.derived == reduce.identity,
            let entry = record.entry(collation: try database.version(of: function.order)),
            entry.isComplete, let state = try transaction.indexState(entry.index)
        else { return nil }
        return (
            ReductionTree(index: entry.index, reduce: reduce),
            SummaryMark(reduce: reduce.identity, changed: state.lastChangedSequence)
        )
    }
}
