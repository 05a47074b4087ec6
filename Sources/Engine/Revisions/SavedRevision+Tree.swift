internal import SetteeDocumentValues
public import StorageProtocol

/// Where a revision stands among those of its document. Each call asks the database as it is now (inside `read` or a
/// transaction, as it is there): what was pruned or purged meanwhile is not there any more.
extension SavedRevision {
    /// The ID of the revision it follows; nil for the first of its line, and where the tree no longer tells.
    public func parentID() throws(StorageError) -> RevisionID? {
        try database.withStored(documentID) { (stored) throws(StorageError) -> RevisionID? in
            guard let index = stored.tree.index(of: id) else { return nil }
            return stored.tree.nodes[index].parent.map { stored.tree.nodes[$0].id }
        } ?? nil
    }

    /// The revision it follows; nil where there is none, or its body is gone: see `parentID()`.
    public func parent() throws(StorageError) -> SavedRevision? {
        try database.withStored(documentID) { (stored) throws(StorageError) -> SavedRevision? in
            guard let index = stored.tree.index(of: id), let parent = stored.tree.nodes[index].parent else {
                return nil
            }
            return try stored.revision(at: parent)
        } ?? nil
    }

    /// This revision and its ancestors as far as they are known, newest first; empty where this one was purged or
    /// pruned.
    ///
    /// - Complexity: O(revisions of the document · log n).
    public func history() throws(StorageError) -> [RevisionInfo] {
        try database.withReadTransaction { (transaction) throws(StorageError) in
            try database.history(of: id, of: documentID, in: transaction)
        }
    }

    /// A revision to follow this one, with its body to edit, that of a tombstone too.
    ///
    /// - Throws: `corrupt` (591) where the stored body is damaged.
    public func newRevision() throws(StorageError) -> UnsavedRevision {
        UnsavedRevision(of: document, parentID: id, properties: try properties)
    }

    /// Deletes the document, or this branch of it where it has several: a tombstone follows this revision. For a
    /// tombstone it is the answer itself.
    ///
    /// - Throws: `conflict` (409) where another revision follows this one already, `notFound` (404) where the document
    ///   is gone.
    @discardableResult
    public func delete() throws(StorageError) -> SavedRevision {
        try database.delete(documentID, parent: id)
    }
}
