internal import SetteeDocumentValues
public import StorageProtocol

/// The position of a revision among those of its document. Each call reads the current state of the database (inside
/// `read` or a transaction, that state). Revisions that were pruned or purged in the meantime are not included.
extension SavedRevision {
    /// Returns the parent's ID; nil for the first revision of its line, and if the tree no longer contains it.
    public func parentID() throws(StorageError) -> RevisionID? {
        try database.withStored(documentID) { (stored) throws(StorageError) -> RevisionID? in
            guard let index = stored.tree.index(of: id) else { return nil }
            return stored.tree.nodes[index].parent.map { stored.tree.nodes[$0].id }
        } ?? nil
    }

    /// Returns the parent; nil if there is none, or its body was dropped: see `parentID()`.
    public func parent() throws(StorageError) -> SavedRevision? {
        try database.withStored(documentID) { (stored) throws(StorageError) -> SavedRevision? in
            guard let index = stored.tree.index(of: id), let parent = stored.tree.nodes[index].parent else {
                return nil
            }
            return try stored.revision(at: parent)
        } ?? nil
    }

    /// Returns this revision and its ancestors as far as they are known, newest first; empty if this one was purged or
    /// pruned.
    ///
    /// - Complexity: O(revisions of the document · log n).
    public func history() throws(StorageError) -> [RevisionInfo] {
        try database.withReadTransaction { (transaction) throws(StorageError) in
            try database.history(of: id, of: documentID, in: transaction)
        }
    }

    /// Returns a new revision on top of this one, with its body for editing, also if this is a tombstone.
    ///
    /// - Throws: `corrupt` (591) if the stored body is damaged.
    public func newRevision() throws(StorageError) -> UnsavedRevision {
        UnsavedRevision(of: document, parentID: id, properties: try properties)
    }

    /// Deletes the document, or this branch if it has several, by adding a tombstone on top of this revision. If this
    /// revision is a tombstone, it is returned.
    ///
    /// - Throws: `conflict` (409) if another revision already follows this one, `notFound` (404) if the document no
    ///   longer exists.
    @discardableResult
    public func delete() throws(StorageError) -> SavedRevision {
        try database.delete(documentID, parent: id)
    }
}
