/// What it means to compare two values. Each operand has one from the start, so that no comparison has to look it up.
enum Meaning: Sendable, Hashable {
    /// CouchDB's: values of all types are ordered as in views, and equal if the order says so.
    case mango
    /// CouchDB's for the IDs of documents: the same in the raw order.
    case mangoIDs
    /// Stored definitions': values of unlike types do not compare, nor does one that is too large to be a key. The
    /// order is that of views, but strings are equal only if their bytes are, also inside arrays and objects.
    case definition

    /// The meaning in selectors.
    static func mango(raw: Bool) -> Meaning { raw ? .mangoIDs : .mango }

    /// Whether values are ordered in the raw order.
    var ordersRaw: Bool { self == .mangoIDs }
    /// Whether values are equal if their raw keys are, which have the bytes of strings.
    var equatesRaw: Bool { self != .mango }
    /// Whether each value compares with each other one.
    var comparesAll: Bool { self != .definition }
}
