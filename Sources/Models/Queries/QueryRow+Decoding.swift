internal import SetteeDocumentValues
internal import SetteeEngine
public import SetteeViews
internal import StorageProtocol

extension QueryRow {
    /// Returns the key as a value of a type.
    ///
    /// - Throws: `DecodingError` if it does not have this form.
    public func key<Key: Decodable>(as type: Key.Type) throws -> Key { try JSONValueDecoder().decode(type, from: key) }

    /// Returns the value as a value of a type; nil if the row has none.
    ///
    /// - Throws: `DecodingError` if it does not have this form.
    public func value<Value: Decodable>(as type: Value.Type) throws -> Value? {
        guard let value else { return nil }
        return try JSONValueDecoder().decode(type, from: value)
    }

    /// Returns the document's properties as a value of a type, which may declare `_id`, `_rev`, `_deleted` and
    /// `_attachments`; nil without `includeDocs`, or if there is no such document.
    ///
    /// - Throws: `DecodingError` if they do not have this form; `corrupt` (591).
    public func document<Contents: Decodable>(as type: Contents.Type) throws -> Contents? {
        guard let revision = documentRevision else { return nil }
        let properties = try revision.properties
        return try JSONValueDecoder().decode(
            type,
            from: .object(properties.withoutAttachments),
            SpecialMembers(of: revision, properties)
        )
    }
}
