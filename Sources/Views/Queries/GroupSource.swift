internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// The groups of a view's rows, reduced or not.
struct GroupSource: PageSource {
    private let query: DatabaseQuery
    private let name: IndexName
    /// What the snapshot of the first page shows.
    private var begun: IndexSnapshot?
    private let plan: ReductionPlan
    private var identity: String?
    /// How many groups to skip before the first one.
    private var skip: Int
    /// What remains to be read; nil: nothing was read yet.
    private var rest: IndexRange?
    private var isOver = false
    /// Groups that were made but not yet returned.
    private var made: ArraySlice<ReducedGroup> = []

    /// - Parameter view: as the snapshot of the first page shows it.
    init(_ query: DatabaseQuery, _ view: IndexSnapshot, _ plan: ReductionPlan, skip: Int) {
        self.query = query
        name = view.name
        begun = view
        self.plan = plan
        self.skip = skip
    }

    mutating func page(_ transaction: any ReadTransaction, maximum: Int) throws -> RowPage {
        if made.isEmpty, !isOver { try make(transaction, atLeast: maximum) }
        let groups = made.prefix(maximum)
        made = made.dropFirst(maximum)
        var writer = RowPageWriter()
        for group in groups {
            var entry = RowPage.Entry()
            if let key = group.keyJSON { entry.key = writer.append(key) }
            if plan.reduce != nil { entry.value = writer.append(try group.value.canonicalBytes()) }
            writer.add(entry)
        }
        return writer.page(of: query.database, index: nil)
    }

    private mutating func make(_ transaction: any ReadTransaction, atLeast wanted: Int) throws {
        let source = try ReadableIndex(
            begun.take() ?? IndexSnapshot(name, of: query.database, in: transaction),
            of: query.database,
            in: transaction,
            mode: query.update.indexMode,
            identity: identity
        )
        identity = source.identity
        let keys = try KeyRange(query, source.order.collator)
        if wanted == 0 { return }
        let overlayIsEmpty = source.overlay?.isEmpty ?? true
        guard let index = source.index, overlayIsEmpty, keys.prefix == nil, query.keys == nil else {
            isOver = true
            var all = GroupedRows(plan, skip: skip)
            try all.add(source, keys, descending: query.descending, transaction)
            made = try all.finish()[...]
            return
        }
        try walk(index, keys.ranges[0], transaction, atLeast: wanted)
    }

    /// Makes groups from the index alone, where stored parts save most of the reading.
    private mutating func walk(
        _ index: String,
        _ whole: IndexRange,
        _ transaction: any ReadTransaction,
        atLeast wanted: Int
    ) throws {
        let walk = GroupWalk(
            tree: ReductionTree(index: index, reduce: plan.reduce ?? .count),
            grouping: plan.grouping,
            range: rest ?? whole,
            descending: query.descending,
            keepsFaults: plan.keepsFaults
        )
        var groups: [ReducedGroup] = []
        var passed = skip
        var last: IndexRange.Bound?
        try query.database.withClosure("reduce") {
            try walk.forEach(in: transaction) { group in
                last = group.end
                if passed > 0 {
                    passed -= 1
                    return true
                }
                groups.append(group)
                return groups.count < wanted
            }
        }
        skip = passed
        made = groups[...]
        isOver = groups.count < wanted || plan.grouping == .none
        if let last, !isOver { rest = behind(last, of: rest ?? whole) }
    }

    /// Returns what remains of a range after a group.
    private mutating func behind(_ end: IndexRange.Bound, of range: IndexRange) -> IndexRange {
        var rest = range
        switch end {
        case .open: isOver = true
        case .including(let position):
            if query.descending { rest.upper = .excluding(position) } else { rest.lower = .excluding(position) }
        case .excluding(let position):
            if query.descending { rest.upper = .including(position) } else { rest.lower = .including(position) }
        }
        return rest
    }
}
