/// A selector in the form in which it is evaluated.
indirect enum Condition: Sendable, Hashable {
    /// All of them hold.
    case all([Condition])
    /// One of them holds, or there are none: CouchDB takes an empty `$or` as true.
    case any([Condition])
    case not(Condition)
    /// The field exists and its value meets the condition, or it does not exist and the condition is `exists(false)`.
    case field(Field, Condition)
    /// The value that the condition is applied to passes.
    case test(ValueTest)
}

extension Condition {
    /// All of the parts, or one of them. Parts of the same kind are put in place of what they are within, so that a
    /// chain of them is no deeper than one.
    @inline(never)
    init(_ parts: [Condition], isAny: Bool) {
        if parts.count == 1 {
            self = parts[0]
            return
        }
        var flat: [Condition] = []
        for part in parts {
            switch part {
            case .all(let inner) where !isAny: flat += inner
            // Without parts it is true.
            case .any(let inner) where isAny && !inner.isEmpty: flat += inner
            default: flat.append(part)
            }
        }
        self = isAny ? .any(flat) : .all(flat)
    }

    /// The same condition on other fields.
    func mappingFields(_ change: (Field) -> Field) -> Condition {
        switch self {
        case .all(let parts): .all(parts.map { $0.mappingFields(change) })
        case .any(let parts): .any(parts.map { $0.mappingFields(change) })
        case .not(let condition): .not(condition.mappingFields(change))
        case .field(let field, let condition): .field(change(field), condition)
        case .test: self
        }
    }

    /// Whether it has a condition on this member of a document.
    func names(_ special: FieldPath.Special) -> Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.contains { $0.names(special) }
        case .not(let condition): condition.names(special)
        case .field(let field, _): field.path.special == special
        case .test: false
        }
    }
}
