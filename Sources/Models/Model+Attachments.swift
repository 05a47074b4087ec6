internal import SetteeDocumentValues
public import SetteeEngine
internal import StorageProtocol

extension Model {
    /// The names of the attachments, including unsaved edits, in order.
    public var attachmentNames: [String] {
        noteRead(\.attachmentNames)
        return state.withLock { $0.attachments.keys }
    }

    /// Returns an attachment, including unsaved edits: one that was set is available at once, with its content, and one
    /// that was removed is not. Nil if there is none.
    ///
    /// - Throws: `badAttachment` (491) for an entry of a `Codable` value that is not an attachment.
    public func attachment(named name: String) throws -> Attachment? {
        noteRead(\.attachmentNames)
        let found = state.withLock { state in state.attachments[name].map { ($0, state.stagedContent(of: $0)) } }
        guard let (entry, staged) = found else { return nil }
        return try Attachment(in: document.database, named: name, entry: entry, staged: staged)
    }

    /// Adds an attachment, replacing one with the same name. The content is written into the database at once. It
    /// belongs to the document once the model is saved; otherwise it is removed again.
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
            var entries = state.attachments
            entries[name] = .object(entry)
            return state.setAttachments(entries)
        }
    }

    /// Removes the attachment with a name when the model is saved.
    ///
    /// - Returns: false if there is none.
    @discardableResult
    public func removeAttachment(named name: String) -> Bool {
        edit { state in
            var entries = state.attachments
            guard entries.remove(name) != nil else { return false }
            return state.setAttachments(entries)
        }
    }
}
