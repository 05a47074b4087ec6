internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// The plans that a query has chosen, kept for its next runs. The copies of a query share them.
///
/// A kept plan finds the right rows in every state in which its indexes have the same definitions. It is given up where
/// another one might be much better by now: where indexes were defined or removed, or where a sixteenth of the
/// documents has changed. Walks over all documents are chosen each time: an index in memory may have been made.
/// Transactions that write choose each time, too, because what they show may be rolled back.
final class KeptPlans: Sendable {
    /// `run`, `first` and `count` may take turns.
    private static let most = 4
    /// So many changes do not matter in a small database.
    private static let fewChanges: UInt64 = 64

    /// What the choice depends on, beside the selector and the indexes.
    private struct Form {
        let sort: [FindOrder]
        let limit: Int?
        let skip: Int
        let useIndex: String?
        let allowsFullScan: Bool

        init(_ query: FindQuery) {
            sort = query.sort
            limit = query.limit
            skip = query.skip
            useIndex = query.useIndex
            allowsFullScan = query.allowsFullScan
        }

        func isSame(as other: Form) -> Bool {
            guard limit == other.limit, skip == other.skip, allowsFullScan == other.allowsFullScan,
                sort == other.sort
            else { return false }
            guard let useIndex, let index = other.useIndex else { return useIndex == nil && other.useIndex == nil }
            return useIndex.utf8.elementsEqual(index.utf8)
        }
    }

    private final class Kept: Sendable {
        let form: Form
        /// With its index, if that has seen everything of the state with the change counter.
        let plan: FindPlan
        /// All indexes that were defined.
        let indexes: [ValueIndex]
        /// The state for which the plan was chosen.
        let origin: StoreCounters
        /// The last state in which it was used.
        let changeCounter: UInt64

        init(_ form: Form, _ plan: FindPlan, _ indexes: [ValueIndex], origin: StoreCounters, changeCounter: UInt64) {
            self.form = form
            self.plan = plan
            self.indexes = indexes
            self.origin = origin
            self.changeCounter = changeCounter
        }

        /// Whether the same indexes are defined.
        func hasSame(_ indexes: [ValueIndex]) -> Bool {
            self.indexes.elementsEqual(indexes) { $0.version == $1.version && $0.name.utf8.elementsEqual($1.name.utf8) }
        }

        /// Whether what can have changed since the plan was chosen is little.
        func isLike(_ counters: StoreCounters) -> Bool {
            let most = max(KeptPlans.fewChanges, origin.liveDocuments / 16)
            // Large where the numbers went back.
            let changes = counters.lastSequence &- origin.lastSequence
            // Purges have no sequence.
            let gone = origin.liveDocuments - min(origin.liveDocuments, counters.liveDocuments)
            return changes <= most && gone <= most
        }
    }

    private let kept = Locked<[Kept]>([])

    /// Returns the plan that was kept for runs like that of a query; nil: there is none that is good now.
    func plan(for query: FindQuery, in transaction: any ReadTransaction) throws(StorageError) -> FindPlan? {
        guard query.hints.areDefault, query.forced == nil else { return nil }
        let form = Form(query)
        guard let known = kept.withLock({ kept in kept.first { $0.form.isSame(as: form) } }),
            !(transaction is any WriteTransaction)
        else { return nil }
        let counters = try transaction.counters()
        if counters.changeCounter == known.changeCounter { return known.plan }
        let indexes = try query.database.valueIndexes.indexes(in: transaction)
        guard known.isLike(counters), known.hasSame(indexes) else { return nil }
        for index in known.plan.indexes {
            guard let reader = try ValueIndexReader(index, of: query.database, in: transaction) else { return nil }
            // Documents without a key have no place in the order.
            if !query.sort.isEmpty, try reader.hasUnindexable(transaction) { return nil }
        }
        let plan = try known.plan.knowingIndex(of: query.database, in: transaction)
        keep(Kept(form, plan, indexes, origin: known.origin, changeCounter: counters.changeCounter))
        return plan
    }

    /// Keeps a plan for the next runs like that of a query.
    func keep(_ plan: FindPlan, for query: FindQuery, in transaction: any ReadTransaction) throws(StorageError) {
        guard query.hints.areDefault, query.forced == nil, !plan.isFullScan,
            !plan.indexes.contains(where: { $0.temporary != nil }), !(transaction is any WriteTransaction),
            // An index that was left out this time will be brought up to date if it is better.
            query.database.readsOnly || !plan.rejected.contains(where: { $0.kind == .outdated })
        else { return }
        let counters = try transaction.counters()
        let known = try plan.knowingIndex(of: query.database, in: transaction)
        let indexes = try query.database.valueIndexes.indexes(in: transaction)
        keep(Kept(Form(query), known, indexes, origin: counters, changeCounter: counters.changeCounter))
    }

    private func keep(_ new: Kept) {
        kept.withLock { kept in
            kept.removeAll { $0.form.isSame(as: new.form) }
            if kept.count == KeptPlans.most { kept.removeFirst() }
            kept.append(new)
        }
    }
}

extension FindPlan {
    /// The same plan with what is known of its index in a state of the database, and of nothing else in it.
    fileprivate func knowingIndex(
        of database: Database,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> FindPlan {
        var plan = forOtherSnapshots
        if case .index(let index, _) = access {
            plan.current = try database.valueIndexes.currentIndex(of: index, in: transaction)
        }
        return plan
    }
}
