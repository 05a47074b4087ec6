public import StorageProtocol

/// Local documents (`_local/NAME`) have no revision tree and no sequence, and are never listed or replicated. Their
/// revisions are `1-local`, `2-local`, ...
extension Database {
    /// Returns the current revisions of all local documents, in the order of their IDs' bytes. Inside a transaction or
    /// snapshot they are those of its state.
    ///
    /// - Throws: `notOpen` (503), `callback` (593) inside an `update` closure, `corrupt` (591).
    /// - Complexity: O(number of local documents and their bytes).
    public func localDocuments() throws(StorageError) -> [SavedRevision] {
        try withReadTransaction { (transaction) throws(StorageError) in
            var found: [SavedRevision] = []
            try transaction.orderedLocalDocuments { (id, revision, json) throws(StorageError) in
                found.append(try localRevision(id, revision, json))
                return true
            }
            return found
        }
    }

    /// Whether there are that many local documents, or more. Complexity: O(count).
    package func hasLocalDocuments(_ count: Int) throws(StorageError) -> Bool {
        try withReadTransaction { (transaction) throws(StorageError) in
            var found = 0
            try transaction.orderedLocalDocuments { (_, _, _) throws(StorageError) in
                found += 1
                return found < count
            }
            return found >= count
        }
    }

    private func localRevision(
        _ id: DocumentID,
        _ revision: RawSpan,
        _ json: RawSpan
    ) throws(StorageError) -> SavedRevision {
        SavedRevision(
            in: self,
            documentID: id,
            id: try LocalRevision.id(stored: revision),
            sequence: 0,
            isDeleted: false,
            json: unsafe json.withUnsafeBytes { unsafe Array($0) }
        )
    }

    package func localRevision(of id: DocumentID) throws(StorageError) -> SavedRevision? {
        try withReadTransaction { (transaction) throws(StorageError) in
            try localRevision(of: id, in: transaction)
        }
    }

    package func localRevision(
        of id: DocumentID,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> SavedRevision? {
        var found: SavedRevision?
        _ = try transaction.localDocument(id) { (revision, json) throws(StorageError) in
            found = try localRevision(id, revision, json)
        }
        return found
    }

    /// Replaces the local document. If a parent is given, it must be the current revision.
    package func putLocal(
        _ id: DocumentID,
        _ body: DocumentBody,
        parent: RevisionID?,
        isNew: Bool = false,
        race: SaveRace? = nil
    ) throws(StorageError) -> SavedRevision {
        guard body.attachments == nil else { throw .attachment("Local documents have no attachments.") }
        if body.isDeleted { return try deleteLocal(id, parent: parent, race: race) }
        return try change { (session) throws(StorageError) in
            let before = try checkedLocal(id, parent: parent, session, race)
            if isNew, before != nil {
                race?.cannotFollow(parent)
                throw StorageError(.conflict, "The local document was made meanwhile. Read it again.")
            }
            let revisionID = try RevisionID("\((before?.id.generation ?? 0) + 1)-local")
            session.noteChange()
            let revision = unsafe LocalRevision.stored(revisionID, body.canonical.span.bytes)
            try unsafe session.transaction.putLocalDocument(
                id,
                revision: revision.span.bytes,
                json: body.canonical.span.bytes
            )
            session.trace?.savedLocal(id, size: body.canonical.count)
            return SavedRevision(
                in: self,
                documentID: id,
                id: revisionID,
                sequence: 0,
                isDeleted: false,
                json: body.canonical
            )
        }
    }

    func deleteLocal(
        _ id: DocumentID,
        parent: RevisionID?,
        race: SaveRace? = nil
    ) throws(StorageError) -> SavedRevision {
        try change { (session) throws(StorageError) in
            guard let before = try checkedLocal(id, parent: parent, session, race) else {
                throw StorageError(.notFound, "There is no local document of this ID.")
            }
            session.noteChange()
            try session.transaction.removeLocalDocument(id)
            session.trace?.savedLocal(id, size: nil)
            let revisionID = try RevisionID("\(before.id.generation + 1)-local")
            return SavedRevision(
                in: self,
                documentID: id,
                id: revisionID,
                sequence: 0,
                isDeleted: true,
                json: Array("{}".utf8)
            )
        }
    }

    func purgeLocal(_ id: DocumentID) throws(StorageError) -> Bool {
        try change { (session) throws(StorageError) in
            guard try localRevision(of: id, in: session.transaction) != nil else { return false }
            session.noteChange()
            try session.transaction.removeLocalDocument(id)
            session.trace?.savedLocal(id, size: nil)
            return true
        }
    }

    private func checkedLocal(
        _ id: DocumentID,
        parent: RevisionID?,
        _ session: WriteSession,
        _ race: SaveRace?
    ) throws(StorageError) -> SavedRevision? {
        let before = try localRevision(of: id, in: session.transaction)
        if let parent, parent != before?.id {
            race?.cannotFollow(parent)
            throw StorageError(.conflict, "The revision given is not the local document's present one. Read it again.")
        }
        return before
    }
}
