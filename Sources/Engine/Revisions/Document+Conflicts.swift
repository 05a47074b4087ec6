public import SetteeDocumentValues
public import StorageProtocol

/// Resolving conflicts. Each call is one transaction, or joins the one that the thread has open. If it throws, nothing
/// is changed.
extension Document {
    /// Resolves a conflict by choice: adds a tombstone to every other live leaf, so that only `revision` is live. If
    /// that is already so, nothing is written.
    ///
    /// - Returns: the revision that was kept, which is now the current one.
    /// - Throws: `notFound` (404) if there is no such document, `conflict` (409) if `revision` is not, or no longer,
    ///   one of the live leaves, `badID` (494) for a local document.
    @discardableResult
    public func resolveConflict(keeping revision: RevisionID) throws(StorageError) -> SavedRevision {
        try database.change { (session) throws(StorageError) in
            let writer = DocumentWriter(session)
            let leaves = try writer.liveLeaves(of: documentID())
            guard let kept = leaves.first(where: { $0.id == revision }) else { throw Document.notLiveLeaf }
            for leaf in leaves where leaf.id != kept.id { _ = try writer.delete(leaf.documentID, parent: leaf.id) }
            return kept
        }
    }

    /// Resolves a conflict by merging: saves the merged body on top of one of the live leaves, and adds a tombstone to
    /// every other one.
    ///
    /// All live leaves end, even those that are not part of the merge. If others may write at the same time, read the
    /// leaves and call this in one transaction, or use `resolveConflict(_:)`.
    ///
    /// - Parameters:
    ///   - properties: the merged body. `_deleted` is not allowed in it: see `deleteAllBranches()`.
    ///   - revision: the live leaf that becomes the parent; nil: the one that `_rev` in the body names, or else the
    ///     current one.
    /// - Returns: the merged revision.
    /// - Throws: as `resolveConflict(keeping:)`; `conflict` also if the document is not in conflict; `badRequest` (400)
    ///   for a tombstone, and if `revision` and `_rev` differ; everything that `put` throws for a body.
    @discardableResult
    public func resolveConflict(
        merging properties: JSONObject,
        onto revision: RevisionID? = nil
    ) throws(StorageError) -> SavedRevision {
        try database.change { (session) throws(StorageError) in
            let writer = DocumentWriter(session)
            let leaves = try writer.liveLeaves(of: documentID())
            guard leaves.count > 1 else {
                throw StorageError(.conflict, "The document is not in conflict (any more). Read it again.")
            }
            return try merge(DocumentBody(properties), onto: revision, leaves, writer)
        }
    }

    /// Resolves a conflict by merging, in one transaction with reading the revisions to be merged.
    ///
    /// - Parameter merge: gets the live leaves, the current revision first, and returns the merged body, whose parent
    ///   is the current revision, or the leaf that its `_rev` names. It may read the database and sees the state of the
    ///   transaction. It is not called if the document is not in conflict.
    /// - Returns: the merged revision; nil if there was no conflict.
    /// - Throws: what `merge` throws; as `resolveConflict(merging:onto:)`.
    @discardableResult
    public func resolveConflict(_ merge: ([SavedRevision]) throws -> JSONObject) throws -> SavedRevision? {
        try database.inTransaction {
            let leaves = try conflictingRevisions()
            guard leaves.count > 1 else { return nil }
            return try resolveConflict(merging: merge(leaves))
        }
    }

    /// Deletes the document on all its branches: adds a tombstone to every live leaf. `delete()` deletes one branch, so
    /// that the next one becomes the current revision.
    ///
    /// - Returns: the tombstone that is now the current revision. If the document was already deleted, its tombstone.
    /// - Throws: `notFound` (404) if there is no such document, `badID` (494) for a local document.
    @discardableResult
    public func deleteAllBranches() throws(StorageError) -> SavedRevision {
        let id = try documentID()
        return try database.change { (session) throws(StorageError) in
            let writer = DocumentWriter(session)
            for leaf in try writer.liveLeaves(of: id) { _ = try writer.delete(id, parent: leaf.id) }
            return try writer.delete(id, parent: nil)
        }
    }

    private func merge(
        _ body: DocumentBody,
        onto revision: RevisionID?,
        _ leaves: [SavedRevision],
        _ writer: DocumentWriter
    ) throws(StorageError) -> SavedRevision {
        guard !body.isDeleted else {
            throw StorageError(.badRequest, "A conflict is not merged into a tombstone. Delete all branches instead.")
        }
        let parent = try body.parent(given: revision, of: documentID()) ?? leaves[0].id
        guard leaves.contains(where: { $0.id == parent }) else { throw Document.notLiveLeaf }
        let merged = try writer.save(documentID(), body, parent: parent)
        for leaf in leaves where leaf.id != parent { _ = try writer.delete(leaf.documentID, parent: leaf.id) }
        return merged
    }

    private static var notLiveLeaf: StorageError {
        StorageError(.conflict, "The revision given is not one of the conflicting ones. Read them again.")
    }
}
