internal import SetteeDocumentValues
internal import SetteeEngine
public import SetteeQueries
internal import StorageProtocol

extension FindRow {
    /// Returns the document's properties as a value of a type, which may declare `_id`, `_rev`, `_deleted` and
    /// `_attachments`. Where the query names `fields`, only those are there.
    ///
    /// - Throws: `DecodingError` if they do not have this form; `corrupt` (591).
    public func value<Value: Decodable>(as type: Value.Type) throws -> Value {
        guard isWhole else { return try JSONValueDecoder().decode(type, from: .object(properties)) }
        let properties = try revision.properties
        return try JSONValueDecoder().decode(
            type,
            from: .object(properties.withoutAttachments),
            SpecialMembers(of: revision, properties)
        )
    }
}

extension FindQuery {
    /// Returns all rows as values of a type, like `FindRow.value(as:)`.
    ///
    /// - Throws: as `run`, and `DecodingError` for a row that does not have this form.
    public func values<Value: Decodable>(of type: Value.Type) throws -> [Value] {
        try run().map { row in try row.value(as: type) }
    }
}
