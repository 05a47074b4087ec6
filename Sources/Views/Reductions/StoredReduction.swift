internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// The parts of a reduction that are stored with the index of a view.
struct StoredReduction: DerivedEntries {
    let reduce: Reduce

    var identity: String { reduce.identity }

    /// Removes the parts that contain changed rows.
    func update(_ index: String, after changes: RowChanges, in session: WriteSession) throws(StorageError) {
        let tree = ReductionTree(index: index, reduce: reduce)
        if try tree.discardSummaries(for: changes, in: session.transaction) { session.hasDroppedIndexes = true }
    }

    func check(
        _ index: String,
        of database: Database,
        in transaction: any ReadTransaction,
        _ report: (String) -> Void
    ) throws(StorageError) {
        let wrong = try database.withClosure("reduce") { () throws(StorageError) in
            try ReductionTree(index: index, reduce: reduce).checkSummaries(in: transaction)
        }
        if wrong > 0 { report("\(wrong) stored parts of reductions are wrong") }
    }
}
