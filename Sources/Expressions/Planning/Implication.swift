/// What can be concluded from a selector, for partial indexes. What it says follows, does; it may miss what follows,
/// too.
struct Implication {
    /// Alternatives of the premise that are looked at one by one.
    private static let alternatives = 32
    /// Conditions and values that are looked at in all of them together.
    private static let mostOperands = 1 << 18

    private let premise: Condition
    private let facts: Set<Condition>
    /// The conditions and values that are read to find the ranges of a field.
    private let size: Int
    /// The ranges of fields in the premise that were found.
    var known: [FieldPath: FieldRanges] = [:]
    /// What follows from each alternative of the premise; nil: they were not needed yet.
    private var cases: [Implication]?
    /// Conditions and values that may still be read to find the ranges of fields.
    private var budget = 1 << 20

    init(_ premise: Condition) {
        self.premise = premise
        facts = Set(premise.conjuncts)
        size = premise.operandCount
    }

    /// Whether each document that meets the premise meets a condition.
    mutating func holds(_ conclusion: Condition) -> Bool {
        if implies(conclusion) { return true }
        var parts = cases ?? Implication.cases(of: premise)
        cases = nil
        defer { cases = parts }
        for place in parts.indices where !parts[place].implies(conclusion) { return false }
        return !parts.isEmpty
    }

    /// Empty if there are none, or too many.
    private static func cases(of premise: Condition) -> [Implication] {
        guard let alternatives = premise.alternatives, alternatives.count <= Implication.alternatives,
            alternatives.reduce(0, { $0 + $1.operandCount }) <= mostOperands
        else { return [] }
        return alternatives.map { Implication($0) }
    }

    private mutating func implies(_ conclusion: Condition) -> Bool {
        if facts.contains(conclusion) { return true }
        switch conclusion {
        case .all(let parts): return parts.allSatisfy { implies($0) }
        case .any(let parts):
            return parts.isEmpty || parts.contains { implies($0) } || coversOneField(conclusion)
        case .field(let field, .test(.isIn(let set))):
            return containsPart(of: set, field) || covers(conclusion, field.path)
        case .field(let field, _): return covers(conclusion, field.path)
        case .not, .test: return false
        }
    }

    /// Whether all values that the field can have meet the condition.
    private mutating func covers(_ conclusion: Condition, _ path: FieldPath) -> Bool {
        let possible: FieldRanges
        if let found = known[path] {
            possible = found
        } else {
            guard budget > size else { return false }
            budget -= size
            possible = premise.ranges(of: path, .outer)
            known[path] = possible
        }
        return possible.isSubset(of: conclusion.ranges(of: path, .inner))
    }

    private mutating func coversOneField(_ conclusion: Condition) -> Bool {
        let fields = conclusion.fields
        guard fields.count == 1, let path = fields.first else { return false }
        return covers(conclusion, path)
    }

    private func containsPart(of set: OperandSet, _ field: Field) -> Bool {
        facts.contains { fact in
            guard case .field(field, .test(.isIn(let part))) = fact else { return false }
            return part.meaning == set.meaning && part.keys.isSubset(of: set.keys)
        }
    }
}
