/// A selector in the form in which it is evaluated.
indirect enum Condition: Sendable, Hashable {
    /// All of them hold.
    case all([Condition])
    /// One of them holds, or there are none: CouchDB takes an empty `$or` as true.
    case any([Condition])
    case not(Condition)
    /// The field exists and its value meets the condition, or it does not exist and the condition is `exists(false)`.
    case field(FieldPath, Condition)
    /// The value that the condition is applied to passes.
    case test(ValueTest)
}
