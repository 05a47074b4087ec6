public import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// What a reduce function is to put together: rows, or results of its own for parts of them.
public struct ReduceInput: Sendable {
    /// The keys of the rows; none where `isRereduce`.
    public var keys: [JSONValue]
    /// The values of the rows, in the order of the keys, null where none was emitted. Where `isRereduce`: what the
    /// function has yielded before.
    public var values: [JSONValue]
    /// Whether the values are results of the function.
    public var isRereduce: Bool

    public init(keys: [JSONValue], values: [JSONValue], isRereduce: Bool) {
        self.keys = keys
        self.values = values
        self.isRereduce = isRereduce
    }
}
