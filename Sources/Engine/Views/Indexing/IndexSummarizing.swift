internal import StorageProtocol

extension IndexUpdater {
    /// About how many rows are read in one transaction.
    private static let rowsAtATime = 20_000

    /// Stores the parts of reductions that are missing, unless that was done since the index last changed.
    func storeSummaries(of name: ViewName) throws(StorageError) {
        guard !database.isWriting else { return }
        var isDone = false
        while !isDone {
            try cancellation?.check()
            let found = try database.withReadTransaction {
                (transaction) throws(StorageError) -> (ReductionTree, UInt64)? in
                try summaries(of: name, in: transaction)
            }
            guard let (tree, changed) = found else { return }
            guard database.viewRegistry.summarized(tree.index) != changed else { return }
            isDone = try database.change { (session) throws(StorageError) in
                guard try summaries(of: name, in: session.transaction)?.0.index == tree.index else { return true }
                session.noteChange()
                return try database.withClosure("reduce") { () throws(StorageError) in
                    try tree.storeSummaries(upTo: IndexUpdater.rowsAtATime, in: session.transaction)
                }
            }
            if isDone { database.viewRegistry.noteSummarized(tree.index, changed) }
        }
    }

    /// The reduction of a view's index, and when its rows last changed; nil: there is none.
    private func summaries(
        of name: ViewName,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> (ReductionTree, UInt64)? {
        guard let function = try database.viewFunction(name, in: transaction), let reduce = function.reduce,
            let record = try ViewRecord.load(name, in: transaction), record.version == function.version,
            record.reduce == reduce.identity,
            let entry = record.entry(collation: try database.collationVersion(function.collation)),
            entry.isComplete, let state = try transaction.indexState(entry.index)
        else { return nil }
        return (ReductionTree(index: entry.index, reduce: reduce), state.lastChangedSequence)
    }
}
