package import SetteeDocumentValues
internal import SetteeEngine
package import StorageProtocol

/// A whole document to add to a new database, with its tree.
package struct BuiltDocument {
    package var id: DocumentID
    /// In any order. A leaf has a body. Every revision with a body has a `sequence` above 0, and no two are equal.
    package var revisions: [RevisionTree.Part]
    /// Milliseconds since 1970.
    package var expiration: Int64?

    package init(id: DocumentID, revisions: [RevisionTree.Part], expiration: Int64?) {
        self.id = id
        self.revisions = revisions
        self.expiration = expiration
    }
}

/// A body in its stored form.
package struct BuiltBody {
    /// Canonical JSON, attachments as stubs.
    package var json: [UInt8]
    /// The SHA-1 digests of its attachments, one for each name.
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
    /// The length of the decoded content.
    package var length: UInt64
    package var revpos: UInt64
    /// The number of stored bytes, if they are encoded with gzip.
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
