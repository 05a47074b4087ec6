/// A revision's identity `<generation>-<suffix>`: 32 hexadecimal digits for a suffix of our own, anything for a foreign one.
public struct RevisionID: Hashable, Sendable {
    public let string: String
    public init(_ s: String) throws(StorageError) { string = s }
}
