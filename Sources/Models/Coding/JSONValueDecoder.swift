public import SetteeDocumentValues
internal import StorageProtocol

/// Makes `Decodable` values of JSON values, without a detour through text: the counterpart of `JSONValueEncoder`.
///
/// ```swift
/// let due = try JSONValueDecoder().decode(Date.self, from: "2026-11-21T21:25:08.123+01:00")
/// ```
///
/// A `Date` is read from ISO-8601 text in any of the forms that `ISO8601.date(from:)` knows, a `Decimal` from text or a
/// number. Numbers must fit: a whole number however it is written, all bits of it.
public struct JSONValueDecoder: Sendable {
    /// What the values being decoded can ask of their decoder.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    public init() {}

    /// Makes a value of `json`.
    ///
    /// - Throws: `DecodingError` with the coding path, without content; what the type itself throws.
    /// - Complexity: O(size of the value).
    public func decode<T: Decodable>(_ type: T.Type, from json: JSONValue) throws -> T {
        try ValueDecoder(json, parent: nil, key: nil, userInfo: userInfo, recorder: nil).value(type)
    }

    /// The same for a document.
    ///
    /// - Parameter special: what members get that are the database's.
    func decode<T: Decodable>(_ type: T.Type, from json: JSONValue, _ special: SpecialMembers) throws -> T {
        try decode(type, from: json, special, nil)
    }

    /// The same, and which members the types asked for.
    func decodeRecording<T: Decodable>(
        _ type: T.Type,
        from json: JSONValue,
        _ special: SpecialMembers
    ) throws -> (T, DeclaredMembers) {
        let recorder = MemberRecorder()
        return (try decode(type, from: json, special, recorder), recorder.declared)
    }

    private func decode<T: Decodable>(
        _ type: T.Type,
        from json: JSONValue,
        _ special: SpecialMembers,
        _ recorder: MemberRecorder?
    ) throws -> T {
        var decoder = ValueDecoder(json, parent: nil, key: nil, userInfo: userInfo, recorder: recorder)
        decoder.special = special
        return try decoder.value(type)
    }
}
