internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// Groups of rows that are read one by one: rows of several ranges or of an overlay, or rows selected by prefix.
struct GroupedRows {
    private let plan: ReductionPlan
    private let run: ReductionRun
    private var skip: Int
    private var group: GroupBounds?
    private var groups: [ReducedGroup] = []

    init(_ plan: ReductionPlan, skip: Int) {
        self.plan = plan
        self.skip = skip
        run = ReductionRun(plan.reduce ?? .count, keepsFaults: plan.keepsFaults)
    }

    /// Adds the rows of all ranges.
    mutating func add(
        _ source: ReadableIndex,
        _ keys: KeyRange,
        descending: Bool,
        _ transaction: any ReadTransaction
    ) throws {
        var failure: (any Error)?
        for range in keys.ranges where failure == nil {
            // A key that is given twice has two groups.
            if plan.grouping == .exact { try source.database.withClosure("reduce") { try endGroup() } }
            try source.rows(in: range, descending: descending, transaction) { (row) throws(StorageError) in
                if let prefix = keys.prefix {
                    let belongs = row.withKeyJSON { json in prefix.contain(RowPosition(row), keyJSON: json) }
                    guard belongs else { return true }
                }
                guard plan.grouping.takes(row) else { return true }
                do {
                    try source.database.withClosure("reduce") { try add(row) }
                } catch {
                    failure = error
                    return false
                }
                return true
            }
        }
        if let failure { throw failure }
    }

    private mutating func add(_ row: borrowing IndexRowView) throws {
        if group?.contains(row) != true {
            try endGroup()
            group = GroupBounds(of: row, plan.grouping, descending: false)
        }
        if !run.add(row), let failure = run.failure { throw failure }
    }

    private mutating func endGroup() throws {
        guard let group = group.take() else { return }
        let part = try run.finish().get()
        if skip > 0 {
            skip -= 1
            return
        }
        let value = try part.value()
        groups.append(
            ReducedGroup(keyJSON: group.keyJSON, value: value, rowCount: part.rowCount, end: group.end)
        )
    }

    /// Returns all groups.
    mutating func finish() throws -> [ReducedGroup] {
        try endGroup()
        return groups
    }
}

extension ReductionGrouping {
    /// Returns whether a row belongs to any group.
    fileprivate func takes(_ row: borrowing IndexRowView) -> Bool {
        guard leavesOutOthers else { return true }
        return row.withKeyJSON { json in
            unsafe json.byteCount > 0 && json.unsafeLoad(fromByteOffset: 0, as: UInt8.self) == UInt8(ascii: "[")
        }
    }
}
