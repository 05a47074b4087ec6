/// What a planner asks a selector.
extension MangoSelector {
    /// Where the value of a field is in each document that matches: in these ranges, or missing, if that may be.
    ///
    /// A value whose key is too large for `Collator` has no place in them.
    ///
    /// - Complexity: O(n log n) for n conditions and values of `$in`.
    package func ranges(of path: FieldPath) -> FieldRanges { condition.ranges(of: path, .outer) }

    /// As `ranges(of:)`, of each field that it has conditions on, in one walk.
    package var rangesOfFields: [FieldPath: FieldRanges] {
        let bounded = condition.rangesOfFields
        return Dictionary(uniqueKeysWithValues: fields.map { ($0, bounded[$0] ?? .everything) })
    }

    /// Returns what is left to check in a document whose values are known to lie in ranges, each with a key. It matches
    /// what is left exactly if it matches this selector.
    package func remainder(knowing known: [FieldPath: FieldRanges]) -> MangoSelector {
        let rest = condition.conjuncts.filter { part in
            let fields = part.fields
            guard fields.count == 1, let path = fields.first, let known = known[path] else { return !part.isAlways }
            return !known.isSubset(of: part.ranges(of: path, .inner))
        }
        return MangoSelector(.all(rest))
    }

    /// Whether nothing is left to check in a document whose values are known to lie in ranges, each with a key.
    package func isDecided(by known: [FieldPath: FieldRanges]) -> Bool { remainder(knowing: known).matchesAll }

    /// Whether every document matches because there are no conditions.
    package var matchesAll: Bool { condition.conjuncts.allSatisfy(\.isAlways) }

    /// Selectors of which at least one matches exactly if this one does: the parts of an `$or` that must hold, each
    /// with all other conditions. Nil if there is no such `$or`.
    package var alternatives: [MangoSelector]? { condition.alternatives.map { selectors(of: $0) } }

    /// The fields of documents that it has conditions on.
    package var fields: Set<FieldPath> { condition.fields }

    /// How many conditions it has, with the values in `$in`: what it costs to find ranges.
    package var operandCount: Int { condition.operandCount }

    /// The canonical texts of the values that fields are compared with, by their keys, which are the bounds of ranges.
    /// Without those of long lists in `$in`.
    package var operandTexts: [[UInt8]: [UInt8]] {
        var texts: [[UInt8]: [UInt8]] = [:]
        condition.forEachOperand { texts[$0.key] = $0.text }
        return texts
    }
}

extension Condition {
    fileprivate var isAlways: Bool {
        switch self {
        case .all(let parts): parts.allSatisfy(\.isAlways)
        case .any(let parts): parts.isEmpty || parts.contains(where: \.isAlways)
        case .not, .field, .test: false
        }
    }

    /// Passes the operands that fields of the document are compared with.
    fileprivate func forEachOperand(_ body: (Operand) -> Void) {
        switch self {
        case .all(let parts), .any(let parts): for part in parts { part.forEachOperand(body) }
        case .not(let condition), .field(_, let condition): condition.forEachOperand(body)
        case .test(.compare(_, let operand)): body(operand)
        case .test(.isIn(let set)), .test(.isNotIn(let set)): set.operands.forEach(body)
        case .test: break
        }
    }
}
