internal import SetteeDocumentValues
public import StorageProtocol

extension Document {
    /// Adds an attachment, replacing one with the same name, and saves the document at once on top of the current
    /// revision. If the document is missing or deleted, it is created with nothing but the attachment.
    ///
    /// - Returns: the new revision.
    /// - Throws: as `Database.stageAttachment` and `update(_:)`; `badAttachment` (491) for a name that is empty, begins
    ///   with `_` or contains NUL, or a content whose SHA-1 is that of a different content in the database.
    /// - Complexity: O(bytes); memory does not grow with the content.
    @discardableResult
    public func setAttachment(
        named name: String,
        contentType: String? = nil,
        content: AttachmentSource
    ) throws -> SavedRevision {
        let staged = try database.stage(content)
        // Kept until the end, because the entry that is saved names it.
        defer { withExtendedLifetime(staged) {} }
        let saved = try update { $0.setAttachment(staged, named: name, contentType: contentType) }
        guard let saved else { throw StorageError(.unexpected, "The attachment was not saved.") }
        return saved
    }

    /// Does the same with content in memory.
    @discardableResult
    public func setAttachment(
        named name: String,
        contentType: String? = nil,
        content: [UInt8]
    ) throws -> SavedRevision {
        try setAttachment(named: name, contentType: contentType, content: .bytes(content))
    }

    /// Adds an attachment, replacing one with the same name, as a revision on top of `parent`.
    ///
    /// - Throws: as `setAttachment(named:contentType:content:)`; `conflict` (409) if `parent` is not current.
    @discardableResult
    public func setAttachment(
        named name: String,
        contentType: String? = nil,
        content: AttachmentSource,
        parent: RevisionID
    ) throws -> SavedRevision {
        let staged = try database.stage(content)
        defer { withExtendedLifetime(staged) {} }
        var properties = try properties(of: parent)
        properties.setAttachment(staged, named: name, contentType: contentType)
        return try put(properties, parent: parent)
    }

    /// Removes the attachment with a name and saves the document at once.
    ///
    /// - Returns: the new revision; nil if there is no such attachment or document.
    /// - Throws: as `update(_:)`.
    @discardableResult
    public func removeAttachment(named name: String) throws -> SavedRevision? {
        try update { properties in
            guard properties.removeAttachment(named: name) else { throw UpdateCancelled() }
        }
    }

    /// Removes the attachment with a name in a revision on top of `parent`.
    ///
    /// - Returns: the new revision; nil if `parent` has no such attachment.
    /// - Throws: as `put(_:parent:)`; `conflict` (409) if `parent` is not current.
    @discardableResult
    public func removeAttachment(named name: String, parent: RevisionID) throws -> SavedRevision? {
        var properties = try properties(of: parent)
        guard properties.removeAttachment(named: name) else { return nil }
        return try put(properties, parent: parent)
    }

    private func properties(of revision: RevisionID) throws(StorageError) -> JSONObject {
        guard let saved = try database.revision(revision, of: documentID()) else {
            throw StorageError(
                .conflict,
                "The revision given is not current. Read the document again and repeat the change."
            )
        }
        return try saved.properties
    }
}
