extension Condition {
    /// The conditions that all must hold.
    var conjuncts: [Condition] {
        guard case .all(let parts) = self else { return [self] }
        return parts.flatMap(\.conjuncts)
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
        case .field(let path, _): fields.insert(path)
        case .not(let condition): condition.addFields(to: &fields)
        case .test: break
        }
    }
}
