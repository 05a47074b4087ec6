public import StorageProtocol

extension Database {
    /// Removes leaves of documents, together with those of their ancestors that no other leaf needs, as if they had
    /// never existed: no tombstone is left. A document without any remaining leaf is removed altogether. IDs that are
    /// unknown or not those of leaves are ignored. Everything is one transaction; each document that changes takes a
    /// sequence.
    ///
    /// - Returns: what was removed, for each document that changed.
    /// - Throws: `badID` (494) for a local document, `readOnly` (403), `inUse` (423), `full` (507), `notOpen` (503),
    ///   `callback` (593) inside `read` or a closure.
    @discardableResult
    public func purge(
        revisions: [DocumentID: [RevisionID]]
    ) throws(StorageError) -> [DocumentID: [RevisionID]] {
        try change { (session) throws(StorageError) in
            for id in revisions.keys where try id.checked().isLocal { throw Database.noTree }
            var removed: [DocumentID: [RevisionID]] = [:]
            // In order, so that the sequences do not depend on the order of the dictionary.
            for id in revisions.keys.sorted() {
                let gone = try DocumentWriter(session).purge(id, leaves: revisions[id] ?? [])
                if !gone.isEmpty { removed[id] = gone }
            }
            return removed
        }
    }
}

extension Document {
    /// Removes leaves of the document, together with those of their ancestors that no other leaf needs, as if they had
    /// never existed. Like `Database.purge(revisions:)`, for one document; `purge()` removes it altogether.
    ///
    /// - Returns: what was removed.
    @discardableResult
    public func purge(revisions: [RevisionID]) throws(StorageError) -> [RevisionID] {
        let id = try documentID()
        return try database.purge(revisions: [id: revisions])[id] ?? []
    }
}
