public import StorageProtocol

extension SavedRevision {
    /// The attachments in the order of their names. Complexity: O(bytes of the body) at each access.
    ///
    /// - Throws: `corrupt` (591) if the stored text is damaged.
    public var attachments: [Attachment] {
        get throws(StorageError) {
            try unsafe AttachmentStub.all(in: json.span.bytes).map { Attachment(database: database, stub: $0) }
        }
    }

    /// The names of the attachments, in order.
    ///
    /// - Throws: `corrupt` (591) if the stored text is damaged.
    public var attachmentNames: [String] { get throws(StorageError) { try attachments.map(\.name) } }

    /// Returns the attachment with a name; nil if there is none. Names are compared by their bytes.
    ///
    /// - Throws: `corrupt` (591) if the stored text is damaged.
    public func attachment(named name: String) throws(StorageError) -> Attachment? {
        try attachments.first { $0.name.utf8.elementsEqual(name.utf8) }
    }
}
