internal import SetteeEngine
internal import SetteeExpressions
internal import SetteeIndexes
package import StorageProtocol

extension FindQuery {
    /// How many plans there are, for tests that compare them.
    package func planCount(in transaction: any ReadTransaction) throws(StorageError) -> Int {
        let indexes = try database.valueIndexes.indexes(in: transaction)
        return try FindPlanner(self, indexes, sortPaths(), in: transaction, mayUpdate: false).allCandidates().count
    }

    /// Chooses how the rows are found in one state of the database.
    ///
    /// - Parameters:
    ///   - mayUpdate: whether the caller brings indexes up to date if asked to.
    ///   - isWhole: whether all rows are read on this snapshot.
    func choosePlan(
        _ sort: [(path: FieldPath, descending: Bool)],
        in transaction: any ReadTransaction,
        mayUpdate: Bool,
        isWhole: Bool = false,
        _ cancellation: Cancellation? = nil
    ) throws(StorageError) -> FindPlanner.Choice {
        if let plan = try kept.plan(for: self, in: transaction) { return .plan(plan) }
        var indexes = try database.valueIndexes.indexes(in: transaction)
        if isWhole { indexes += try database.valueIndexes.temporaryIndexes(in: transaction) }
        var planner = try FindPlanner(
            self,
            indexes,
            sort,
            in: transaction,
            mayUpdate: mayUpdate && !database.readsOnly
        )
        planner.cancellation = cancellation
        if let forced {
            let candidates = try planner.allCandidates()
            if candidates.indices.contains(forced) { return candidates[forced].choice }
        }
        let choice = try planner.choose()
        if case .plan(let plan) = choice { try kept.keep(plan, for: self, in: transaction) }
        return choice
    }
}
