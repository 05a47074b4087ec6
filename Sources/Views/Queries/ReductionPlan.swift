internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// How the rows of a view are grouped and reduced.
struct ReductionPlan: Sendable {
    let grouping: ReductionGrouping
    /// Nil: groups have no values.
    let reduce: Reduce?
    /// Whether a sum that cannot be made is an error in the place of the group's value.
    let keepsFaults: Bool

    /// Nil if the query returns the rows as they were emitted.
    ///
    /// - Throws: `badParameter` (495) if the query requires a reduce function and there is none; `notFound` (404).
    init?(_ query: DatabaseQuery, _ view: IndexSnapshot) throws(StorageError) {
        if query.mapOnly { return nil }
        let reduce = try ReductionPlan.reduce(of: view)
        if query.reduce == true, reduce == nil {
            throw StorageError(.badParameter, "The view '\(view.name.string)' has no reduce function.")
        }
        self.reduce = query.reduce == false ? nil : reduce
        keepsFaults = query.keepsSumFaults
        guard self.reduce != nil || query.isGrouped else { return nil }
        grouping =
            query.groupLevel > 0
            ? .level(query.groupLevel, groupsOthers: query.groupsOtherKeys) : query.group ? .exact : .none
    }

    static func reduce(of view: IndexSnapshot) throws(StorageError) -> Reduce? {
        if let function = view.viewFunction { return function.reduce }
        guard let record = view.record else {
            throw StorageError(.notFound, "There is no view '\(view.name.string)'.")
        }
        return record.derived.flatMap { Reduce(identity: $0) }
    }
}

extension Reduce {
    /// Returns the built-in function with an identity; nil for functions of applications.
    init?(identity: String) {
        self.init(named: String(identity.prefix { $0 != "/" }))
    }
}
