internal import SetteeEngine
internal import SetteeExpressions
package import StorageProtocol

/// For callers that ask page by page, and for an order that CouchDB would refuse.
extension FindQuery {
    /// Whether the rows are wanted in no order, or in one that an index or the IDs of the documents have.
    package func hasIndexForSort() throws(StorageError) -> Bool {
        let sort = try sortPaths()
        if sort.isEmpty || sort.count == 1 && sort[0].path.isDocumentID { return true }
        return try database.withReadTransaction { (transaction) throws(StorageError) in
            let indexes = try database.valueIndexes.indexes(in: transaction)
            let planner = try FindPlanner(self, indexes, sort, in: transaction, mayUpdate: false)
            var facts = SelectorFacts(selector)
            return indexes.contains { index in
                if let condition = index.condition, !facts.implies(condition) { return false }
                return planner.order(of: index, IndexRanges(&facts, in: index)).order != .sorted
            }
        }
    }
}

extension [FindPlanner.Candidate] {
    /// Those that can go on where the page before ended.
    ///
    /// - Throws: `conflict` (409) if there are none.
    func along(_ route: FindRoute) throws(StorageError) -> [FindPlanner.Candidate] {
        let candidates = compactMap { candidate in
            candidate.plan.along(route).map { plan in
                var candidate = candidate
                candidate.plan = plan
                return candidate
            }
        }
        guard candidates.isEmpty else { return candidates }
        throw StorageError(
            .conflict,
            "The rows cannot be continued: the index that they came from was removed or changed, or the query was. Begin "
                + "again."
        )
    }
}
