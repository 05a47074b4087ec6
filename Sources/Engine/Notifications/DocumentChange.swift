internal import SetteeDocumentValues
public import StorageProtocol

/// One change of one document, as it was committed.
public struct DocumentChange: Sendable, Equatable {
    /// What happened to the document.
    public enum Kind: Sendable {
        /// A revision was added: an edit, a tombstone, or one from elsewhere.
        case saved
        /// The document, or some of its revisions, were purged. If others are left, it has a `currentRevisionID`. A
        /// purge of single revisions by another process is reported as `saved`.
        case purged
        /// The document expired and was purged. An expiry in another process is reported as `purged`.
        case expired
    }

    /// The document that changed.
    public let documentID: DocumentID
    /// The sequence of the change: higher than those of all earlier commits.
    public let sequence: UInt64
    /// What happened to the document.
    public let kind: Kind
    /// The revision that was added; nil if the document was purged or expired.
    public let revisionID: RevisionID?
    /// The current revision after the change: the winner of the leaves; nil if the document is gone.
    public let currentRevisionID: RevisionID?
    /// Whether the added revision is a tombstone. If it ends a losing branch, the document is not deleted: see
    /// `isDocumentDeleted`.
    public let isDeletion: Bool
    /// Whether the document is deleted, purged or expired after the change.
    public let isDocumentDeleted: Bool
    /// Whether the document has two or more live leaves after the change.
    public let isConflict: Bool
    /// Whether another process committed the change.
    public let isExternal: Bool
    /// The source of a revision from elsewhere, as given when it was inserted; nil for all others, and if another
    /// process inserted it.
    public let source: String?

    /// Whether the added revision is the current one of the document.
    public var isCurrentRevision: Bool { revisionID != nil && revisionID == currentRevisionID }
}

extension DocumentChange {
    /// A revision that was added here.
    init(_ incoming: IncomingRevision, sequence: UInt64, winner: RevisionTree.Node, isConflicted: Bool) {
        documentID = incoming.documentID
        self.sequence = sequence
        kind = .saved
        revisionID = incoming.revisionID
        currentRevisionID = winner.id
        isDeletion = incoming.isDeleted
        isDocumentDeleted = winner.isDeleted
        isConflict = isConflicted
        isExternal = false
        source =
            switch incoming.origin {
            case .local: nil
            case .foreign(let source): source
            }
    }

    /// A document that no longer exists.
    init(gone documentID: DocumentID, sequence: UInt64, isExpiry: Bool = false, isExternal: Bool = false) {
        self.documentID = documentID
        self.sequence = sequence
        kind = isExpiry ? .expired : .purged
        revisionID = nil
        currentRevisionID = nil
        isDeletion = false
        isDocumentDeleted = true
        isConflict = false
        self.isExternal = isExternal
        source = nil
    }

    /// A document that lost some of its revisions.
    init(reduced documentID: DocumentID, sequence: UInt64, tree: RevisionTree) {
        self.documentID = documentID
        self.sequence = sequence
        kind = .purged
        revisionID = nil
        currentRevisionID = tree.winner?.id
        isDeletion = false
        isDocumentDeleted = tree.isDeleted
        isConflict = tree.isConflicted
        isExternal = false
        source = nil
    }

    /// The latest change of a document, from its record, which was read with `RecordFields.tree`.
    init(_ record: borrowing RecordView, isExternal: Bool) throws(StorageError) {
        let id = try record.documentID()
        let tree = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(stored: bytes) }
        let sequence = record.sequence
        guard let winner = tree.winner else { throw .emptyTree(id) }
        let added = tree.nodes.first { $0.sequence == sequence } ?? winner
        documentID = id
        self.sequence = sequence
        kind = .saved
        revisionID = added.id
        currentRevisionID = winner.id
        isDeletion = added.isDeleted
        isDocumentDeleted = tree.isDeleted
        isConflict = tree.isConflicted
        self.isExternal = isExternal
        source = nil
    }
}
