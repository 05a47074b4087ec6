internal import SetteeDocumentValues
internal import StorageProtocol

extension UnsavedRevision {
    /// The names of the attachments that the revision will have, in order.
    public var attachmentNames: [String] { properties["_attachments"]?.objectValue?.keys ?? [] }

    /// Adds an attachment, replacing one with the same name. The content is written into the database at once, and
    /// removed again if the revision is not saved.
    ///
    /// Until the revision is saved, `properties` has it as an entry of `_attachments` with `follows`.
    ///
    /// - Throws: as `Database.stageAttachment`. A name that is not allowed is refused when the revision is saved.
    public mutating func setAttachment(
        named name: String,
        contentType: String? = nil,
        content: AttachmentSource
    ) throws {
        let staged = try document.database.stage(content)
        stagedAttachments.append(staged)
        properties.setAttachment(staged, named: name, contentType: contentType)
    }

    /// Does the same with content in memory.
    public mutating func setAttachment(named name: String, contentType: String? = nil, content: [UInt8]) throws {
        try setAttachment(named: name, contentType: contentType, content: .bytes(content))
    }

    /// Removes the attachment with a name.
    ///
    /// - Returns: false if there is none.
    @discardableResult
    public mutating func removeAttachment(named name: String) -> Bool { properties.removeAttachment(named: name) }

    /// Removes all attachments.
    public mutating func removeAllAttachments() { properties["_attachments"] = nil }
}

extension JSONObject {
    mutating func setAttachment(_ staged: StagedAttachment, named name: String, contentType: String?) {
        var entry: JSONObject = [
            "follows": true, "digest": .string(staged.digest), "length": JSONValue(staged.length),
        ]
        if let contentType { entry["content_type"] = .string(contentType) }
        var entries = self["_attachments"]?.objectValue ?? [:]
        entries[name] = .object(entry)
        self["_attachments"] = .object(entries)
    }

    mutating func removeAttachment(named name: String) -> Bool {
        guard var entries = self["_attachments"]?.objectValue, entries.remove(name) != nil else { return false }
        self["_attachments"] = nil
        if !entries.isEmpty { self["_attachments"] = .object(entries) }
        return true
    }
}
