public import SetteeDocumentValues
internal import StorageProtocol

/// Makes `Decodable` values from JSON values without going through text. The counterpart of `JSONValueEncoder`.
///
/// ```swift
/// let due = try JSONValueDecoder().decode(Date.self, from: "2026-11-21T21:25:08.123+01:00")
/// ```
///
/// A `Date` is decoded from ISO-8601 text in any form that `ISO8601.date(from:)` reads, and a `Decimal` from text or a
/// number. Numbers must fit: a whole number may be written in any way, and all its bits count.
public struct JSONValueDecoder: Sendable {
    /// Passed to the values being decoded as their decoder's `userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    public init() {}

    /// Returns the value that `json` encodes.
    ///
    /// - Throws: `DecodingError` with the coding path but without content; what the type itself throws.
    /// - Complexity: O(size of the value).
    public func decode<T: Decodable>(_ type: T.Type, from json: JSONValue) throws -> T {
        try ValueDecoder(json, parent: nil, key: nil, userInfo: userInfo, recorder: nil).value(type)
    }

    /// Does the same for a document.
    ///
    /// - Parameter special: the values of the database's own members.
    func decode<T: Decodable>(_ type: T.Type, from json: JSONValue, _ special: SpecialMembers) throws -> T {
        try decode(type, from: json, special, nil)
    }

    /// Does the same, and returns which members the types requested.
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
