internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// The first page of a query of a view. If the index is up to date, everything needed is read on the snapshot of that
/// page. Otherwise the index is brought up to date, and the page is started again.
struct FirstPage {
    let query: DatabaseQuery
    let name: IndexName
    /// How many rows to skip.
    let skip: Int
    /// Whether rows are going to be compared with others.
    let needsSequences: Bool
    let cancellation: Cancellation?

    private enum Step {
        case update
        case storeSummaries
        case page(RowPage, of: any PageSource)
    }

    /// - Returns: the page, and the source of the next pages.
    func run(maximum: Int) throws -> (page: RowPage, source: any PageSource) {
        let database = query.database
        let updater = IndexUpdater(database, [name], cancellation: cancellation)
        // Each is done at most once, because writers may go on forever.
        var mayUpdate = query.update == .before && !database.readsOnly
        var maySummarize = mayUpdate
        while true {
            let step = try database.withReadTransaction { (transaction) throws(StorageError) in
                Result { try next(transaction, maximum, mayUpdate: mayUpdate, maySummarize: maySummarize) }
            }
            switch try step.get() {
            case .update:
                try updater.run()
                mayUpdate = false
            case .storeSummaries:
                try SummaryUpdater(database: database, cancellation: cancellation).storeSummaries(of: name)
                maySummarize = false
            case .page(let page, let source):
                return (page, source)
            }
        }
    }

    private func next(
        _ transaction: any ReadTransaction,
        _ maximum: Int,
        mayUpdate: Bool,
        maySummarize: Bool
    ) throws -> Step {
        let database = query.database
        let view = try IndexSnapshot(name, of: database, in: transaction)
        let index = mayUpdate || maySummarize ? try view.completeIndex(of: database, in: transaction) : nil
        if mayUpdate {
            guard let index, index.state.lastSequence >= (try database.lastSequence(in: transaction)) else {
                return .update
            }
        }
        guard let plan = try ReductionPlan(query, view) else {
            var source = ViewRowSource(query, view, skip: skip, needsSequences: needsSequences)
            return .page(try source.page(transaction, maximum: maximum), of: source)
        }
        if maySummarize, let reduce = plan.reduce, let index {
            let mark = SummaryMark(reduce: reduce.identity, changed: index.state.lastChangedSequence)
            if database.viewRegistry.summaryMark(index.name) != mark { return .storeSummaries }
        }
        var source = GroupSource(query, view, plan, skip: skip)
        return .page(try source.page(transaction, maximum: maximum), of: source)
    }
}
