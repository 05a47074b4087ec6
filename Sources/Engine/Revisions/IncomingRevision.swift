internal import SetteeDocumentValues
package import StorageProtocol

/// A revision that is being added to a document's tree, with the data that is stored, validated, counted and announced.
package struct IncomingRevision {
    /// Where a revision comes from.
    package enum Origin {
        /// Created here.
        case local
        /// Created elsewhere, and stored with its own ID. The source is the replication's URL or another name given by
        /// the caller.
        case foreign(source: String?)
    }

    let documentID: DocumentID
    let revisionID: RevisionID
    /// The parent in the tree; nil for a root.
    let parentID: RevisionID?
    let isDeleted: Bool
    /// Canonical JSON, with the stubs of its attachments.
    let json: [UInt8]
    /// The blobs that its attachments refer to.
    let attachments: [AttachmentUse]
    let origin: Origin

    package init(
        documentID: DocumentID,
        revisionID: RevisionID,
        parentID: RevisionID?,
        isDeleted: Bool,
        json: [UInt8],
        attachments: [AttachmentUse],
        origin: Origin
    ) {
        self.documentID = documentID
        self.revisionID = revisionID
        self.parentID = parentID
        self.isDeleted = isDeleted
        self.json = json
        self.attachments = attachments
        self.origin = origin
    }

    /// The checksum of the body that the tree stores to detect damage.
    var bodyChecksum: UInt32 {
        unsafe RevisionChecksum.ofBody(json.span.bytes, id: revisionID, isDeleted: isDeleted)
    }
}
