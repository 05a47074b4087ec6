package import StorageProtocol

extension DocumentBody {
    /// The revision that the body names. Where `_revisions` and `_rev` differ, `_revisions` counts, as in CouchDB.
    package var namedRevision: RevisionID? { history.first ?? revision }

    /// Returns the parent of an own revision with this body: `parent`, or else the one that the body names.
    ///
    /// - Throws: `badRequest` (400) if `_id` is not `id`, or the body names another revision than `parent`.
    func parent(given parent: RevisionID?, of id: DocumentID) throws(StorageError) -> RevisionID? {
        try checkID(id)
        if let parent, let namedRevision, parent != namedRevision {
            throw StorageError(
                .badRequest,
                "The revision given and the body's '_rev' or '_revisions' differ. Give one of them."
            )
        }
        return parent ?? namedRevision
    }

    /// Returns the history of a foreign revision with this body, newest first: the given one, or else `_revisions`, or
    /// else `_rev` alone.
    ///
    /// - Throws: `badRequest` (400) if the given one and that of the body, or `_id` and `id`, do not agree, or there is
    ///   none.
    func history(given: [RevisionID], of id: DocumentID) throws(StorageError) -> [RevisionID] {
        try checkID(id)
        let all = !given.isEmpty ? given : !history.isEmpty ? history : revision.map { [$0] } ?? []
        guard let own = all.first else {
            throw StorageError(.badRequest, "A revision from elsewhere needs its own ID, in its history or as '_rev'.")
        }
        if let namedRevision, namedRevision != own { throw DocumentBody.strangeHistory }
        if !history.isEmpty, !zip(history, all).allSatisfy(==) { throw DocumentBody.strangeHistory }
        return all
    }

    private func checkID(_ given: DocumentID) throws(StorageError) {
        if let id, !id.utf8.elementsEqual(given.string.utf8) {
            throw StorageError(
                .badRequest,
                "The body's '_id' is not the document's ID. Leave '_id' out, or make them agree."
            )
        }
    }

    private static var strangeHistory: StorageError {
        StorageError(
            .badRequest,
            "The body's '_rev' or '_revisions' do not agree with the revision given. Leave them out, or make them "
                + "agree."
        )
    }
}
