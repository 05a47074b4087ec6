public import StorageProtocol

/// What a document's revision tree says of one revision, whose body may be gone: a value, as it was when it was read.
public struct RevisionInfo: Sendable {
    /// What can be had of a revision, in the words of `_revs_info`.
    public enum Status: String, Sendable {
        /// The body is kept.
        case available
        /// Only the ID is known: the body was never here, or was dropped.
        case missing
        /// A tombstone, whether its body is kept or not.
        case deleted
    }

    /// The document it belongs to.
    public let documentID: DocumentID
    /// The revision's ID.
    public let id: RevisionID
    /// The sequence under which it was stored; 0 where it came only as an ancestor of another.
    public let sequence: UInt64
    /// Whether it is a tombstone.
    public let isDeleted: Bool
    /// Whether no revision follows it.
    public let isLeaf: Bool
    /// Whether its body is kept.
    public let hasBody: Bool
    private let database: Database

    init(
        of documentID: DocumentID,
        in database: Database,
        id: RevisionID,
        sequence: UInt64,
        isDeleted: Bool,
        isLeaf: Bool,
        hasBody: Bool
    ) {
        self.documentID = documentID
        self.database = database
        self.id = id
        self.sequence = sequence
        self.isDeleted = isDeleted
        self.isLeaf = isLeaf
        self.hasBody = hasBody
    }

    /// What can be had of the revision.
    public var status: Status { isDeleted ? .deleted : hasBody ? .available : .missing }

    /// The revision with its body; nil where the body is not kept, or no longer.
    public func revision() throws(StorageError) -> SavedRevision? {
        try database.revision(id, of: documentID)
    }
}
