public import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The input of a reduce function: rows, or the function's own results for parts of them.
public struct ReduceInput: Sendable {
    /// The keys of the rows; empty if `isRereduce`.
    public var keys: [JSONValue]
    /// The values of the rows, in the order of the keys, with null for rows without a value. If `isRereduce`: earlier
    /// results of the function.
    public var values: [JSONValue]
    /// Whether the values are results of the function.
    public var isRereduce: Bool

    public init(keys: [JSONValue], values: [JSONValue], isRereduce: Bool) {
        self.keys = keys
        self.values = values
        self.isRereduce = isRereduce
    }
}
