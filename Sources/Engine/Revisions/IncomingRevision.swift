internal import SetteeDocumentValues
internal import StorageProtocol

/// A revision on its way into a document's tree: what is stored, validated, counted and announced.
struct IncomingRevision {
    /// Where a revision comes from.
    enum Origin {
        /// Made here.
        case local
        /// Made elsewhere, and taken with its own ID. The source is the replication's URL or whatever the caller names.
        case foreign(source: String?)
    }

    let documentID: DocumentID
    let revisionID: RevisionID
    /// The revision it follows in the tree; nil for a root.
    let parentID: RevisionID?
    let isDeleted: Bool
    /// Canonical JSON, with the stubs of its attachments.
    let json: [UInt8]
    /// What its attachments refer to.
    let attachments: [AttachmentUse]
    let origin: Origin

    /// What the tree remembers of the body, to notice damage.
    var bodyChecksum: UInt32 {
        unsafe RevisionChecksum.ofBody(json.span.bytes, id: revisionID, isDeleted: isDeleted)
    }
}
