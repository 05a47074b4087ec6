/// A parameter of a header's value.
public struct HeaderParameter: Sendable {
    /// In lower case.
    public let name: String
    /// Without quotes and backslashes.
    public let value: String
}
