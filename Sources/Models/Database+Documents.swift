internal import SetteeDocumentValues
public import SetteeEngine
public import StorageProtocol

extension Database {
    /// Returns a document as a value of a `Codable` type, whether it exists or not. Another call returns the same
    /// object, refreshed if it has no unsaved edits.
    ///
    /// ```swift
    /// let note = try db.document(of: Note.self, id: "groceries")
    /// note.model?.title = "Groceries"
    /// try note.save()
    /// ```
    ///
    /// - Throws: `DecodingError` if the document exists and has another form; `badID` (494) if the ID is not allowed;
    ///   the errors of reading. allowed; the errors of reading.
    public func document<Value: Codable & Sendable>(
        of type: Value.Type,
        id: some DocumentIDConvertible
    ) throws -> ModelDocument<Value> {
        let document = try models.model(ModelDocument<Value>.self, id: id)
        if document.revisionID != nil { _ = try document.read() }
        return document
    }

    /// Returns a new document with `model`. Its ID is the value's `_id` if the type declares one, else a generated one
    /// (a UUID). Nothing is written until it is saved.
    ///
    /// - Throws: `EncodingError` if the value has no JSON form; `badID` (494) if its `_id` is not allowed; `conflict`
    ///   (409) if there is already a document with this ID, even if only in memory.
    public func makeDocument<Value: Codable & Sendable>(_ model: Value) throws -> ModelDocument<Value> {
        let form = try ModelDocument<Value>.form(of: model)
        let document =
            if let id = form.id?.stringValue { try models.model(ModelDocument<Value>.self, id: id) } else {
                try models.makeModel(ModelDocument<Value>.self)
            }
        guard document.revisionID == nil, !document.needsSave else {
            throw StorageError(
                .conflict,
                "There is a document of this '_id' already. Ask for it by 'document(of:id:)'."
            )
        }
        try document.write(form, of: model)
        return document
    }
}
