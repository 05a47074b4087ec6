internal import StorageProtocol

/// Local documents (`_local/NAME`): no tree, no sequence, never listed or replicated; revisions `1-local`, `2-local`,
/// ...
extension Database {
    func localRevision(of id: DocumentID) throws(StorageError) -> Revision? {
        try withReadTransaction { (transaction) throws(StorageError) in
            try Database.localRevision(of: id, in: transaction)
        }
    }

    static func localRevision(
        of id: DocumentID,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Revision? {
        var found: Revision?
        _ = try transaction.localDocument(id) { (revision, json) throws(StorageError) in
            found = Revision(
                documentID: id,
                id: try RevisionID(stored: revision),
                sequence: 0,
                isDeleted: false,
                json: unsafe json.withUnsafeBytes { unsafe Array($0) }
            )
        }
        return found
    }

    /// Replaces the local document. A parent, where one is given, must be its present revision.
    func putLocal(
        _ id: DocumentID,
        _ body: DocumentBody,
        parent: RevisionID?,
        isNew: Bool = false
    ) throws(StorageError) -> Revision {
        if body.isDeleted { return try deleteLocal(id, parent: parent) }
        return try change { (session) throws(StorageError) in
            let before = try checkedLocal(id, parent: parent, session)
            if isNew, before != nil {
                throw StorageError(.conflict, "The local document was made meanwhile. Read it again.")
            }
            let revisionID = try RevisionID("\((before?.id.generation ?? 0) + 1)-local")
            session.noteChange()
            try revisionID.withText { (text) throws(StorageError) in
                try unsafe session.transaction.putLocalDocument(id, revision: text, json: body.canonical.span.bytes)
            }
            return Revision(documentID: id, id: revisionID, sequence: 0, isDeleted: false, json: body.canonical)
        }
    }

    func deleteLocal(_ id: DocumentID, parent: RevisionID?) throws(StorageError) -> Revision {
        try change { (session) throws(StorageError) in
            guard let before = try checkedLocal(id, parent: parent, session) else {
                throw StorageError(.notFound, "There is no local document of this ID.")
            }
            session.noteChange()
            try session.transaction.removeLocalDocument(id)
            let revisionID = try RevisionID("\(before.id.generation + 1)-local")
            return Revision(documentID: id, id: revisionID, sequence: 0, isDeleted: true, json: Array("{}".utf8))
        }
    }

    func purgeLocal(_ id: DocumentID) throws(StorageError) -> Bool {
        try change { (session) throws(StorageError) in
            guard try Database.localRevision(of: id, in: session.transaction) != nil else { return false }
            session.noteChange()
            try session.transaction.removeLocalDocument(id)
            return true
        }
    }

    private func checkedLocal(
        _ id: DocumentID,
        parent: RevisionID?,
        _ session: WriteSession
    ) throws(StorageError) -> Revision? {
        let before = try Database.localRevision(of: id, in: session.transaction)
        if let parent, parent != before?.id {
            throw StorageError(.conflict, "The revision given is not the local document's present one. Read it again.")
        }
        return before
    }
}
