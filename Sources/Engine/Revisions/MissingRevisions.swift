public import StorageProtocol

/// The revisions of one document that a database was asked for and does not have.
public struct MissingRevisions: Sendable, Equatable {
    /// The revisions whose IDs are not in the tree of the document, in the order in which they were given.
    public var missing: [RevisionID]
    /// Known revisions that may be ancestors of a missing one: see `Document.possibleAncestors`.
    public var possibleAncestors: [RevisionID]

    public init(missing: [RevisionID], possibleAncestors: [RevisionID]) {
        self.missing = missing
        self.possibleAncestors = possibleAncestors
    }
}
