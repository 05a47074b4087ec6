public import SetteeDocumentValues
internal import StorageProtocol

/// Encodes `Encodable` values as JSON values without going through text.
///
/// ```swift
/// let value = try JSONValueEncoder().encode(["due": Date.now])     // {"due":"2026-11-21T20:25:08.123Z"}
/// ```
///
/// The forms are those of Foundation's `JSONEncoder`, except: a `Date` is ISO-8601 text (`ISO8601`), a `Decimal` its
/// decimal text, and a `Float` the shortest decimal that reads back as the same value. `Data` is base64 text, a `URL`
/// is its absolute text, whole numbers keep all of their digits, and a `JSONValue` is encoded as itself. Optional
/// members that are nil are left out; an explicit `encodeNil` writes null.
public struct JSONValueEncoder: Sendable {
    /// Passed to the values being encoded as their encoder's `userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    public init() {}

    /// Returns the JSON value of `value`.
    ///
    /// - Throws: `EncodingError` for numbers that are not finite, dates outside the years -999,999 to 999,999, nesting
    ///   beyond 512 levels; what `value` itself throws. Messages give the location as a coding path and contain no
    ///   content.
    /// - Complexity: O(size of the value).
    public func encode(_ value: some Encodable) throws -> JSONValue {
        try encodeNode(value).value()
    }

    /// Returns the JSON value, and which members its types declare.
    func encodeRecording(_ value: some Encodable) throws -> (value: JSONValue, declared: DeclaredMembers?) {
        let node = try encodeNode(value)
        return (try node.value(), node.declared())
    }

    private func encodeNode(_ value: some Encodable) throws -> EncodedNode {
        try ValueEncoder(path: nil, userInfo: userInfo).node(of: value, at: nil)
    }
}
