/// A reference to one value in the text that a `JSONParser` holds. Valid until that parser parses again.
public struct JSONNode: Sendable, Hashable {
    /// The number of the value's first word on the tape.
    let index: UInt32
    /// Which text of the parser the node belongs to.
    let generation: UInt32
}

/// The kind of a JSON value.
public enum JSONKind: UInt8, Sendable {
    case null
    case `false`
    case `true`
    /// A number without fraction or exponent, within Int64.
    case int
    /// A number without fraction or exponent, above Int64.max.
    case uint
    /// A number without fraction or exponent, below Int64 or above UInt64.
    case longInteger
    /// A number with a fraction or an exponent.
    case double
    case string
    case array
    case object
}
