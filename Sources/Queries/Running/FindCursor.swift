internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeExpressions
package import SetteeIndexes
package import StorageProtocol

/// Runs a query in pages.
///
/// Rows that come in the order of the documents or of an index are read page by page, each page on a snapshot of its
/// own, unless the caller is in a transaction or a snapshot. Where rows have to be sorted, the first page finds all of
/// them.
package struct FindCursor: Sendable {
    /// The most rows of a page.
    package static let pageSize = 256

    let query: FindQuery
    let projection: FieldProjection?
    let sort: [(path: FieldPath, descending: Bool)]
    /// The rows before this one are left out.
    var behind: FindPosition?
    var skip: Int
    var remaining: Int
    private var plan: FindPlan?
    /// The rows that are left of those that were found and sorted.
    var sorted: ArraySlice<FindPosition> = []
    /// Whether there may be rows behind these.
    var hasUnsorted = true
    var isOver = false
    /// The most rows that are sorted at a time. If there are more, those behind them are found by another search.
    package var mostSorted = Int.max

    package internal(set) var statistics = FindStatistics()
    /// Where the last row is; nil: there was none yet.
    package internal(set) var position: FindPosition?

    /// - Parameter position: only rows behind it, in the same query.
    /// - Throws: `badParameter` (495), `badRequest` (400) for a path that is refused.
    package init(_ query: FindQuery, behind position: FindPosition? = nil) throws(StorageError) {
        try query.checkOptions()
        self.query = query
        projection = try query.fields.map { (fields) throws(StorageError) in try FieldProjection(fields) }
        sort = try query.sortPaths()
        behind = position
        skip = query.skip
        remaining = query.limit ?? Int.max
    }

    /// Whether all documents are read. Known after the first page.
    package var isFullScan: Bool { plan?.isFullScan ?? false }

    /// Whether all documents are read because there is no index that could be.
    package var lacksIndex: Bool { isFullScan && plan?.hasUsableIndex == false }
    /// Whether all rows have to be found before the first one is known.
    package var isSorted: Bool { plan.map { $0.order != .served } ?? false }
    /// The names of the indexes that are read.
    package var indexes: [String] { plan?.indexes.map(\.name) ?? [] }
    /// What `position` means; nil before a plan was chosen.
    package var route: FindRoute? { plan?.route }

    /// Chooses how the rows are found. `next` does so, too, where it was not done.
    ///
    /// - Parameter mayUpdate: whether the caller brings indexes up to date if asked to.
    /// - Returns: the indexes that are to be brought up to date before this is called again; none: the plan is chosen.
    package mutating func prepare(
        mayUpdate: Bool,
        _ cancellation: Cancellation? = nil
    ) throws(StorageError) -> [IndexName] {
        let choice = try query.database.withReadTransaction { (transaction) throws(StorageError) in
            try query.choosePlan(sort, in: transaction, mayUpdate: mayUpdate, cancellation)
        }
        if case .plan(let chosen) = choice {
            plan = chosen.forOtherSnapshots
        }
        return choice.outdated
    }

    /// Brings indexes up to date that `prepare` has asked for.
    package func update(_ names: [IndexName], _ cancellation: Cancellation) throws(StorageError) {
        try ValueIndexClaim.update(names, of: query.database, cancellation)
    }

    /// Returns the next rows; none at the end.
    ///
    /// - Parameter most: how many rows to read at once, at least 1.
    package mutating func next(
        _ cancellation: Cancellation? = nil,
        atMost most: Int = FindCursor.pageSize
    ) throws(StorageError) -> [FindRow] {
        // For a limit of 0 a plan is made all the same, to report errors in the query.
        if isOver || remaining == 0 && plan != nil { return [] }
        var mayUpdate = true
        var mayPlanAgain = true
        while true {
            let step: Step<[FindRow]>
            do throws(StorageError) {
                step = try query.database.withReadTransaction(beginsAtOnce: true) {
                    (transaction) throws(StorageError) in
                    try page(transaction, most, cancellation, mayUpdate: mayUpdate)
                }
            } catch {
                guard error.code == .conflict, let plan else { throw error }
                if mayPlanAgain, position == nil, behind == nil {
                    // The index was removed or changed since the plan was made. No row came from it yet.
                    mayPlanAgain = false
                    self.plan = nil
                    continue
                }
                // So much was written since the page before that the index has to be brought up to date.
                guard mayUpdate, !query.database.readsOnly else { throw error }
                step = .update(
                    try plan.indexes.map { (index) throws(StorageError) in
                        try IndexName(index.name, of: ValueIndexKind())
                    }
                )
            }
            switch step {
            case .done(let rows):
                remaining -= rows.count
                statistics.rowsReturned += rows.count
                if rows.isEmpty { isOver = true }
                return rows
            case .update(let names):
                // At most once, because writers may go on forever.
                mayUpdate = false
                try ValueIndexClaim.updateForQuery(names, of: query.database, cancellation)
            }
        }
    }

    /// Returns how many rows there are. Called instead of `next`.
    mutating func count(_ cancellation: Cancellation? = nil) throws(StorageError) -> Int {
        var mayUpdate = true
        while true {
            let step = try query.database.withReadTransaction(beginsAtOnce: true) {
                (transaction) throws(StorageError) in
                try countStep(transaction, cancellation, mayUpdate: mayUpdate)
            }
            switch step {
            case .done(let count): return count
            case .update(let names):
                mayUpdate = false
                try ValueIndexClaim.updateForQuery(names, of: query.database, cancellation)
            }
        }
    }

    /// What a page has at most; the last row may lead beyond the bytes.
    struct PageSize {
        let rows: Int
        let bytes: Int
    }

    private enum Step<Result> {
        case done(Result)
        /// These indexes have to be brought up to date first.
        case update([IndexName])
    }

    private mutating func countStep(
        _ transaction: any ReadTransaction,
        _ cancellation: Cancellation?,
        mayUpdate: Bool
    ) throws(StorageError) -> Step<Int> {
        let choice = try choosePlan(transaction, cancellation, mayUpdate: mayUpdate, isWhole: true)
        guard case .plan(let plan) = choice else { return .update(choice.outdated) }
        // Sort keys of nothing: rows are counted, not made.
        var run = FindRun(query, plan, sortKeys: SortKeys([]), in: transaction, cancellation)
        let (sum, isTooLarge) = skip.addingReportingOverflow(remaining)
        let wanted = isTooLarge ? Int.max : sum
        if wanted == Int.max,
            let scan = try ParallelScan(query, plan, sortKeys: SortKeys([]), in: transaction, cancellation)
        {
            let counts = try scan.run(in: transaction, 0) { (count, run) throws(StorageError) in
                count = try run.countMatches(atMost: Int.max)
            }
            return .done(max(0, counts.parts.reduce(0, +) - skip))
        }
        if wanted == 0 { return .done(0) }
        let count = try run.countMatches(atMost: wanted)
        return .done(min(max(0, count - skip), remaining))
    }

    /// Chooses a plan, and makes an index in memory where that is better than to read all documents once more.
    ///
    /// - Parameter isWhole: whether all rows are read on this snapshot. Such an index ends with the next commit.
    private func choosePlan(
        _ transaction: any ReadTransaction,
        _ cancellation: Cancellation?,
        mayUpdate: Bool,
        isWhole: Bool
    ) throws(StorageError) -> FindPlanner.Choice {
        let choice = try query.choosePlan(sort, in: transaction, mayUpdate: mayUpdate, isWhole: isWhole, cancellation)
        guard isWhole, case .plan(let plan) = choice, plan.isFullScan, query.forced == nil,
            try query.database.valueIndexes.noteWalk(for: query.selector, in: transaction, cancellation)
        else { return choice }
        return try query.choosePlan(sort, in: transaction, mayUpdate: mayUpdate, isWhole: true, cancellation)
    }

    private mutating func page(
        _ transaction: any ReadTransaction,
        _ wanted: Int,
        _ cancellation: Cancellation?,
        mayUpdate: Bool
    ) throws(StorageError) -> Step<[FindRow]> {
        let most = min(wanted, remaining)
        let present: FindPlan
        if let plan {
            present = plan
        } else {
            let choice = try choosePlan(
                transaction,
                cancellation,
                mayUpdate: mayUpdate,
                isWhole: wanted == Int.max
            )
            guard case .plan(let chosen) = choice else { return .update(choice.outdated) }
            present = chosen
            plan = chosen.forOtherSnapshots
        }
        if most == 0 { return .done([]) }
        if most == Int.max, position == nil, behind == nil,
            let rows = try everyRow(present, transaction, cancellation)
        {
            return .done(rows)
        }
        // Pages of large documents are short.
        let size = PageSize(rows: most, bytes: wanted == Int.max ? Int.max : FindRun.mostHeld)
        if present.order != .served { return .done(try nextSorted(present, size, transaction, cancellation)) }
        return .done(try nextServed(present, size, transaction, cancellation))
    }
}
