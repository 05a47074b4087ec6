public import SetteeDocumentValues
public import SetteeEngine
public import StorageProtocol

extension Document {
    /// Saves a value of a type as a new revision. Members of the parent that the type does not declare are kept, also
    /// those of embedded objects, and so are the attachments if the type does not declare `_attachments`. What follows
    /// a tombstone, and a value whose `_deleted` is true, is stored as it is. Apart from that like `put(_:parent:)`
    /// with a `JSONObject`, which keeps nothing.
    ///
    /// - Throws: `EncodingError`; `badJSON` (493) if the value's JSON is not an object; the errors of `put` with a
    ///   `JSONObject`.
    @discardableResult
    @_disfavoredOverload
    public func put(_ value: some Encodable, parent: RevisionID? = nil) throws -> SavedRevision {
        try put(EncodedForm(encoding: value), parent: parent)
    }

    /// Saves a value of a type as the whole body of a new revision: attachments and all members that the type does not
    /// declare are removed.
    ///
    /// - Throws: as `put` with a value of a type.
    @discardableResult
    public func replaceBody(with value: some Encodable, parent: RevisionID? = nil) throws -> SavedRevision {
        try put(JSONObject(encoding: value), parent: parent)
    }

    /// - Throws: the errors of `put` with a `JSONObject`.
    fileprivate func put(_ form: EncodedForm, parent: RevisionID?) throws(StorageError) -> SavedRevision {
        // A malformed '_rev' is refused below.
        let followed = parent ?? form.revision?.stringValue.flatMap { try? RevisionID($0) }
        var known: SavedRevision?
        if let followed, form.isDeleted != true { known = try revision(followed) }
        guard let known, !known.isDeleted else { return try put(form.body(over: [:]), parent: parent) }
        return try put(form.body(over: known.properties), parent: parent)
    }

    /// Returns the body of a live document as a value of a type; nil if the document is missing or deleted.
    ///
    /// - Throws: `DecodingError` if it has another form; the errors of reading.
    public func value<Value: Decodable>(as type: Value.Type) throws -> Value? {
        try currentRevision?.value(as: type)
    }
}

extension SavedRevision {
    /// Returns the body as a value of a type, which may declare `_id`, `_rev`, `_deleted` and `_attachments`.
    ///
    /// - Throws: `DecodingError` if it has another form; `corrupt` (591).
    public func value<Value: Decodable>(as type: Value.Type) throws -> Value {
        let properties = try properties
        return try JSONValueDecoder().decode(type, from: .object(properties), SpecialMembers(of: self, properties))
    }
}

extension UnsavedRevision {
    /// Sets the members that a value's type declares. The others are kept, and so are the attachments if the type does
    /// not declare `_attachments`. To replace the whole body, set `properties`.
    ///
    /// - Throws: `EncodingError`; `badJSON` (493) if the value's JSON is not an object.
    public mutating func setValue(_ value: some Encodable) throws { try properties.setValue(value) }
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
        let form = try EncodedForm(encoding: value)
        return try await perform(on: AsyncDatabase.writers) { try $0[id.documentIDText].put(form, parent: parent) }
    }

    /// Like `Document.replaceBody` with a value of a type.
    @discardableResult
    public func replaceBody(
        of id: some DocumentIDConvertible,
        with value: some Encodable,
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
        self = try JSONValueEncoder().encode(value).documentBody
    }

    /// Sets the members that a value's type declares, as the body of a document. The others are kept, also those of
    /// embedded objects, and so are the attachments if the type does not declare `_attachments`.
    ///
    /// ```swift
    /// try document.update { try $0.setValue(book) }
    /// ```
    ///
    /// - Throws: `EncodingError`; `badJSON` (493) if the value's JSON is not an object.
    public mutating func setValue(_ value: some Encodable) throws {
        self = try EncodedForm(encoding: value).body(over: self)
    }
}
