public import SetteeEngine
internal import StorageProtocol
internal import Synchronization

extension Model {
    /// The names of the attachments, with the edits, in order.
    public var attachmentNames: [String] { self["_attachments"]?.objectValue?.keys ?? [] }

    /// An attachment as the database holds it; nil where there is none, or it is not saved yet.
    ///
    /// - Throws: the errors of reading.
    public func attachment(named name: String) throws -> Attachment? {
        guard self["_attachments"]?[name] != nil, let known = revisionID else { return nil }
        guard let saved = try document.revision(known) else { return nil }
        return try saved.attachment(named: name)
    }

    /// Adds an attachment, in the place of one of this name. The content is written into the database at once, and
    /// belongs to the document when the model is saved; otherwise it is removed again.
    ///
    /// - Throws: as `Database.stageAttachment`. A name that is not allowed is refused by `save` (491).
    public func setAttachment(named name: String, contentType: String? = nil, content: AttachmentSource) throws {
        let staged = try context.database().stageAttachment(content)
        var entry: JSONObject = [
            "follows": true, "digest": .string(staged.digest), "length": JSONValue(staged.length),
        ]
        if let contentType { entry["content_type"] = .string(contentType) }
        edit { state in
            state.staged.append(staged)
            var entries = state.properties["_attachments"]?.objectValue ?? [:]
            entries[name] = .object(entry)
            return state.set("_attachments", .object(entries))
        }
    }

    /// Removes the attachment of a name when the model is saved.
    ///
    /// - Returns: false where there is none.
    @discardableResult
    public func removeAttachment(named name: String) -> Bool {
        var isThere = false
        edit { state in
            guard var entries = state.properties["_attachments"]?.objectValue, entries.remove(name) != nil else {
                return false
            }
            isThere = true
            var rest: JSONValue?
            if !entries.isEmpty { rest = .object(entries) }
            return state.set("_attachments", rest)
        }
        return isThere
    }
}
