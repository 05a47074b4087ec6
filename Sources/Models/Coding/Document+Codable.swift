public import SetteeDocumentValues
public import SetteeEngine
public import StorageProtocol

extension Document {
    /// Saves a value of a type as a new revision, with its JSON as the whole body. Like `put(_:parent:)` with a
    /// `JSONObject`.
    ///
    /// - Throws: `EncodingError`; `badJSON` (493) if the value's JSON is not an object; the errors of `put` with a
    ///   `JSONObject`.
    @discardableResult
    @_disfavoredOverload
    public func put(_ value: some Encodable, parent: RevisionID? = nil) throws -> SavedRevision {
        try put(JSONObject(encoding: value), parent: parent)
    }

    /// Returns the body of a live document as a value of a type; nil if the document is missing or deleted.
    ///
    /// - Throws: `DecodingError` if it has another form; the errors of reading.
    public func value<Value: Decodable>(as type: Value.Type) throws -> Value? {
        try currentRevision?.value(as: type)
    }
}

extension SavedRevision {
    /// Returns the body as a value of a type.
    ///
    /// - Throws: `DecodingError` if it has another form; `corrupt` (591).
    public func value<Value: Decodable>(as type: Value.Type) throws -> Value {
        try JSONValueDecoder().decode(type, from: .object(properties))
    }
}

extension UnsavedRevision {
    /// Replaces the body by a value's JSON.
    ///
    /// - Throws: `EncodingError`; `badJSON` (493) if the value's JSON is not an object.
    public mutating func setValue(_ value: some Encodable) throws { properties = try JSONObject(encoding: value) }
}

extension DocumentRow {
    /// Returns the body as a value of a type; nil if the query did not request bodies.
    ///
    /// - Throws: `DecodingError` if it has another form; `corrupt` (591).
    public func value<Value: Decodable>(as type: Value.Type) throws -> Value? { try revision?.value(as: type) }
}

extension Snapshot {
    /// Returns the body of a live document as a value of a type; nil if the document is missing or deleted.
    ///
    /// - Throws: `DecodingError` if it has another form; the errors of reading.
    public func value<Value: Decodable>(as type: Value.Type, of id: some DocumentIDConvertible) throws -> Value? {
        guard let revision = try revision(of: id), !revision.isDeleted else { return nil }
        return try revision.value(as: type)
    }
}

extension AsyncDatabase {
    /// Like `Document.put` with a value of a type.
    @discardableResult
    @_disfavoredOverload
    public func put(
        _ id: some DocumentIDConvertible,
        _ value: some Encodable,
        parent: RevisionID? = nil
    ) async throws -> SavedRevision {
        try await put(id, JSONObject(encoding: value), parent: parent)
    }

    /// Like `Document.value(as:)`.
    public func value<Value: Decodable>(as type: Value.Type, of id: some DocumentIDConvertible) async throws -> Value? {
        guard let revision = try await revision(of: id), !revision.isDeleted else { return nil }
        return try revision.value(as: type)
    }
}

extension JSONObject {
    /// The JSON of a value, which must be an object.
    ///
    /// - Throws: `EncodingError`; `badJSON` (493) if it is not an object.
    public init(encoding value: some Encodable) throws {
        guard case .object(let object) = try JSONValueEncoder().encode(value) else {
            throw StorageError(
                .badJSON,
                "A document is a JSON object. Save a value whose JSON is one, such as a struct's."
            )
        }
        self = object
    }
}
