/// What a caller knows of how the rows of a query are to be found.
package struct FindHints: Sendable {
    /// The names of the only indexes that may be used; nil: any. With `prefersIndexes` one is read if it can be.
    package var indexes: [String]?
    /// Whether an index is read although a walk over some thousand documents would cost less, so that the choice does
    /// not change while a database is small.
    package var prefersIndexes = false
    /// The route of the page before; nil: any.
    package var route: FindRoute?
    /// How many IDs of an intersection of indexes are kept at a time.
    package var mostIDs = 1 << 16

    init() {}

    /// Whether nothing is known.
    var areDefault: Bool { indexes == nil && !prefersIndexes && route == nil }
}

/// What the positions of a plan mean: the next page can begin behind one if its plan has the same route.
package enum FindRoute: Sendable, Equatable {
    /// They are IDs of documents.
    case byID(backward: Bool)
    /// They are keys of an index.
    case byIndex(String, ValueIndexDefinition, backward: Bool)
    /// They are keys by which the rows are sorted.
    case sorted
}

extension FindPlan {
    var route: FindRoute {
        guard order == .served else { return .sorted }
        guard case .index(let index, _) = access else { return .byID(backward: isBackward) }
        return .byIndex(index.name, index.definition, backward: isBackward)
    }

    /// The same plan with another route, if it can have it.
    func along(_ wanted: FindRoute) -> FindPlan? {
        if route == wanted { return self }
        guard wanted == .sorted else { return nil }
        // An order that is served is one in which only equal documents have to be sorted.
        var plan = self
        plan.order = .grouped
        return plan
    }
}
