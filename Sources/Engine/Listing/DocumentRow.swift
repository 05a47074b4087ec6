internal import SetteeDocumentValues
public import StorageProtocol

/// A document in a listing: its current revision, with the body if the query asked for bodies.
public struct DocumentRow: Sendable {
    /// The ID of the document.
    public let documentID: DocumentID
    /// The ID of the current revision.
    public let revisionID: RevisionID
    /// The highest sequence of the revisions of the document.
    public let sequence: UInt64
    /// Whether the current revision is a tombstone.
    public let isDeleted: Bool
    /// Whether the document has two or more live leaves.
    public let isConflicted: Bool
    /// Whether the current revision has attachments.
    package let hasAttachments: Bool
    /// The body as canonical JSON in UTF-8; nil if the query did not ask for bodies.
    public let json: [UInt8]?
    /// All leaves of the document in the order in which they win, tombstones included: the current revision is the
    /// first. Nil if the query did not ask for them.
    public let leaves: [RevisionLeaf]?

    private let database: Database

    /// - Parameter id: the ID of the record, if it is known; nil: it is read.
    init(
        _ record: borrowing RecordView,
        id: DocumentID? = nil,
        of database: Database,
        withBody: Bool,
        withLeaves: Bool = false
    ) throws(StorageError) {
        self.database = database
        if let id { documentID = id } else { documentID = try record.documentID() }
        if withLeaves {
            let tree = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(stored: bytes) }
            guard let winner = tree.winner else { throw .emptyTree(documentID) }
            revisionID = winner.id
            leaves = tree.leaves.map { RevisionLeaf(id: $0.id, isDeleted: $0.isDeleted) }
        } else {
            revisionID = try record.winnerID()
            leaves = nil
        }
        sequence = record.sequence
        isDeleted = record.flags.contains(.deleted)
        isConflicted = record.flags.contains(.conflicted)
        hasAttachments = record.flags.contains(.hasAttachments)
        json = withBody ? record.bodyCopy() : nil
    }

    /// The document of the row.
    public var document: Document { database[documentID] }

    /// The current revision as a value, with the sequence of the row; nil if the query did not ask for bodies.
    public var revision: SavedRevision? {
        json.map {
            SavedRevision(
                in: database,
                documentID: documentID,
                id: revisionID,
                sequence: sequence,
                isDeleted: isDeleted,
                json: $0
            )
        }
    }
}
