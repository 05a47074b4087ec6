/// What a planner asks one selector for each of many indexes, worked out once: where the values of fields are, and what
/// follows from it.
package struct SelectorFacts {
    package let selector: MangoSelector
    private var known: [FieldPath: FieldRanges] = [:]
    private var implication: Implication?

    package init(_ selector: MangoSelector) { self.selector = selector }

    /// As `MangoSelector.ranges(of:)`.
    package mutating func ranges(of path: FieldPath) -> FieldRanges {
        if let found = known[path] { return found }
        let ranges = selector.ranges(of: path)
        known[path] = ranges
        return ranges
    }

    /// Whether each document that matches the selector is sure to match another one. It may be false although that is
    /// so.
    package mutating func implies(_ other: MangoSelector) -> Bool {
        var present = implication ?? Implication(selector.condition)
        implication = nil
        // Both look for the ranges of the same fields.
        present.known = known
        known = [:]
        defer {
            known = present.known
            present.known = [:]
            implication = present
        }
        return present.holds(other.condition)
    }
}
