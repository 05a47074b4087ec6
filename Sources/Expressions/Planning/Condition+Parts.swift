extension Condition {
    /// The conditions that all must hold.
    var conjuncts: [Condition] {
        guard case .all(let parts) = self else { return [self] }
        return parts.flatMap(\.conjuncts)
    }

    /// Conditions of which one holds exactly if this one does: the parts of the first `$or` among those that must hold,
    /// each with all others. Nil if there is none with several parts.
    var alternatives: [Condition]? {
        var rest = conjuncts
        let index = rest.firstIndex { part in
            guard case .any(let parts) = part else { return false }
            return parts.count > 1
        }
        guard let index, case .any(let parts) = rest.remove(at: index) else { return nil }
        let others = Condition.all(rest)
        return rest.isEmpty ? parts : parts.map { .all([$0, others]) }
    }

    /// How many conditions and values there are.
    var operandCount: Int {
        switch self {
        case .all(let parts), .any(let parts): parts.reduce(1) { $0 + $1.operandCount }
        case .not(let condition), .field(_, let condition): condition.operandCount
        case .test(.isIn(let set)), .test(.isNotIn(let set)): max(1, set.keys.count)
        case .test: 1
        }
    }

    /// The fields of the document that it is about.
    var fields: Set<FieldPath> {
        var fields: Set<FieldPath> = []
        addFields(to: &fields)
        return fields
    }

    private func addFields(to fields: inout Set<FieldPath>) {
        switch self {
        case .all(let parts), .any(let parts): for part in parts { part.addFields(to: &fields) }
        case .field(let field, _): fields.insert(field.path)
        case .not(let condition): condition.addFields(to: &fields)
        case .test: break
        }
    }
}
