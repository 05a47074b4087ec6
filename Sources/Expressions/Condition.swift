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
}
