package import SetteeDocumentValues
package import StorageProtocol

/// A whole document that is brought into a new database: its tree, as it is to be.
package struct BuiltDocument {
    package var id: DocumentID
    /// In any order. A leaf has a body; `sequence` is above 0 wherever there is one, and no two are equal.
    package var revisions: [RevisionTree.Part]
    /// Milliseconds since 1970.
    package var expiration: Int64?

    package init(id: DocumentID, revisions: [RevisionTree.Part], expiration: Int64?) {
        self.id = id
        self.revisions = revisions
        self.expiration = expiration
    }
}

/// A body as it is to be stored.
package struct BuiltBody {
    /// Canonical JSON, attachments as stubs.
    package var json: [UInt8]
    /// The SHA-1 digests of its attachments, name by name.
    package var attachments: [[UInt8]]

    package init(json: [UInt8], attachments: [[UInt8]]) {
        self.json = json
        self.attachments = attachments
    }
}

/// An attachment's entry, as a stored body has it.
package struct BuiltAttachment {
    package var contentType: String?
    /// The SHA-1 of the stored bytes, 20 bytes.
    package var digest: [UInt8]
    /// Of the content as readers get it.
    package var length: UInt64
    package var revpos: UInt64
    /// How many bytes are stored, where they are encoded with gzip.
    package var encodedLength: UInt64?

    package init(contentType: String?, digest: [UInt8], length: UInt64, revpos: UInt64, encodedLength: UInt64?) {
        self.contentType = contentType
        self.digest = digest
        self.length = length
        self.revpos = revpos
        self.encodedLength = encodedLength
    }

    package var entry: JSONValue {
        AttachmentStub(
            name: "",
            contentType: contentType,
            digest: digest,
            length: length,
            revpos: revpos,
            encodedLength: encodedLength
        ).json
    }
}
