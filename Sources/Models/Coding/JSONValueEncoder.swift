public import SetteeDocumentValues
internal import StorageProtocol

/// Turns `Encodable` values into JSON values, without a detour through text.
///
/// ```swift
/// let value = try JSONValueEncoder().encode(["due": Date.now])     // {"due":"2026-11-21T20:25:08.123Z"}
/// ```
///
/// The forms are those of Foundation's `JSONEncoder`, but for these: a `Date` is ISO-8601 text (`ISO8601`), a `Decimal`
/// its decimal text, a `Float` the shortest decimal that reads back as it. `Data` is base64 text, a `URL` its absolute
/// text, whole numbers are exact in all 64 bits, `JSONValue` stands for itself. Optional members that are nil are left
/// out; an explicit `encodeNil` writes null.
public struct JSONValueEncoder: Sendable {
    /// What the values being encoded can ask of their encoder.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    public init() {}

    /// The JSON value of `value`.
    ///
    /// - Throws: `EncodingError` for numbers that are not finite, dates outside years -999,999 to 999,999, integers
    ///   beyond 64 bits, nesting beyond 512 levels; what `value` itself throws. Messages name the place by its coding
    ///   path and hold no content.
    /// - Complexity: O(size of the value).
    public func encode(_ value: some Encodable) throws -> JSONValue {
        try encodeNode(value).value()
    }

    /// The value, and which members its types declare.
    func encodeRecording(_ value: some Encodable) throws -> (value: JSONValue, declared: DeclaredMembers?) {
        let node = try encodeNode(value)
        return (try node.value(), node.declared())
    }

    private func encodeNode(_ value: some Encodable) throws -> EncodedNode {
        try ValueEncoder(path: nil, userInfo: userInfo).node(of: value, at: nil)
    }
}
