internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

extension DatabaseQuery {
    /// Up to so many rows of an index are read to count some of them.
    private static let mostCounted: UInt64 = 1_000

    /// Returns how many rows of the view stand before the start of this query in its direction, without what it skips.
    /// Nil: that would take reading many rows. Summaries of a reduction tell it, and a short index.
    ///
    /// - Throws: As a query of rows does.
    /// - Complexity: O(log(rows)).
    package func rowsBefore() throws -> UInt64? {
        guard case .view(let name) = source, keys == nil, prefixMatchLevel == 0 else { return nil }
        let view = try IndexName(view: name)
        let outcome = try database.withReadTransaction { (transaction) throws(StorageError) in
            Result { try rowsBefore(view, in: transaction) }
        }
        return try outcome.get()
    }

    private func rowsBefore(_ name: IndexName, in transaction: any ReadTransaction) throws -> UInt64? {
        let view = try IndexSnapshot(name, of: database, in: transaction)
        let source = try ReadableIndex(view, of: database, in: transaction, mode: update.indexMode, identity: nil)
        guard source.overlay?.isEmpty ?? true else { return nil }
        let range = try KeyRange(self, source.order.collator).ranges[0]
        let start = descending ? range.upper : range.lower
        guard start != .open, let index = source.index, let state = try transaction.indexState(index) else { return 0 }
        let tree = ReductionTree(index: index, reduce: try ReductionPlan.reduce(of: view) ?? .count, countsOnly: true)
        guard try state.rowCount <= DatabaseQuery.mostCounted || tree.isStored(in: transaction) else { return nil }
        // In the order of the index: those behind the start of a descending query are the rest.
        let lower = IndexRange(lower: .open, upper: descending ? start : start.complement)
        let count = try tree.reduce(range: lower, in: transaction)?.rowCount ?? 0
        return descending ? state.rowCount - min(count, state.rowCount) : count
    }
}

extension IndexRange.Bound {
    /// The upper bound of what a lower one leaves out.
    fileprivate var complement: IndexRange.Bound {
        switch self {
        case .open: .open
        case .including(let position): .excluding(position)
        case .excluding(let position): .including(position)
        }
    }
}
