public import StorageProtocol

/// A revision that no other one follows, in a listing of changes.
public struct RevisionLeaf: Sendable, Hashable {
    /// The ID of the revision.
    public let id: RevisionID
    /// Whether it is a tombstone.
    public let isDeleted: Bool

    public init(id: RevisionID, isDeleted: Bool) {
        self.id = id
        self.isDeleted = isDeleted
    }
}
