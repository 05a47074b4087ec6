public import StorageProtocol

/// What the revision tree of a document says about one revision, whose body may be gone: a value, as it was when it was
/// read.
public struct RevisionInfo: Sendable {
    /// The availability of a revision, in the terms of `_revs_info`.
    public enum Status: String, Sendable {
        /// The body is kept.
        case available
        /// Only the ID is known: the body was never here, or was dropped.
        case missing
        /// A tombstone, whether its body is kept or not.
        case deleted
    }

    /// The document of the revision.
    public let documentID: DocumentID
    /// The ID of the revision.
    public let id: RevisionID
    /// The sequence under which it was stored; 0 if it was only added as an ancestor of another.
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

    /// The availability of the revision.
    public var status: Status { isDeleted ? .deleted : hasBody ? .available : .missing }

    /// Returns the revision with its body; nil if the body is not, or no longer, kept.
    public func revision() throws(StorageError) -> SavedRevision? {
        try database.revision(id, of: documentID)
    }
}
