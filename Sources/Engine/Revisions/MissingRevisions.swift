public import StorageProtocol

/// What a database does not have of the revisions of one document that it was asked for.
public struct MissingRevisions: Sendable, Equatable {
    /// Those whose IDs are not in the document's tree, in the order in which they were asked for.
    public var missing: [RevisionID]
    /// Revisions that are here and may be ancestors of one that is missing: see `Document.possibleAncestors`.
    public var possibleAncestors: [RevisionID]

    public init(missing: [RevisionID], possibleAncestors: [RevisionID]) {
        self.missing = missing
        self.possibleAncestors = possibleAncestors
    }
}
