package import SetteeDocumentValues
package import StorageProtocol

extension Database {
    func revision(of id: DocumentID) throws(StorageError) -> SavedRevision? {
        let began = trace?.now
        let found = try withReadTransaction { (transaction) throws(StorageError) in
            try revision(of: id, in: transaction)
        }
        if let trace, let began { trace.got(id, size: found?.json.count, began: began) }
        return found
    }

    package func revision(of id: DocumentID, in transaction: any ReadTransaction) throws(StorageError) -> SavedRevision?
    {
        if id.isLocal { return try localRevision(of: id, in: transaction) }
        var found: SavedRevision?
        _ = try transaction.record(id, fields: [.tree, .body]) { (record) throws(StorageError) in
            found = try revision(of: id, record)
        }
        return found
    }

    /// Passes the current revisions of documents, none of them local, to `body`, each with its index in `ids`, in any
    /// order.
    package func revisions(
        of ids: [DocumentID],
        in transaction: any ReadTransaction,
        _ body: (_ place: Int, SavedRevision) -> Void
    ) throws(StorageError) {
        try transaction.records(ids: ids, fields: [.tree, .body]) { (place, record) throws(StorageError) in
            body(place, try revision(of: ids[place], record))
            return true
        }
    }

    private func revision(of id: DocumentID, _ record: borrowing RecordView) throws(StorageError) -> SavedRevision {
        let winner = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(stored: bytes).winner }
        guard let winner else { throw .emptyTree(id) }
        return SavedRevision(
            in: self,
            documentID: id,
            id: winner.id,
            sequence: winner.sequence,
            isDeleted: winner.isDeleted,
            json: record.bodyCopy()
        )
    }

    /// Returns a revision of a document by its ID, nil if it is unknown or its body was dropped.
    package func revision(_ revisionID: RevisionID, of id: DocumentID) throws(StorageError) -> SavedRevision? {
        let began = trace?.now
        let found = try withReadTransaction { (transaction) throws(StorageError) in
            try revision(revisionID, of: id, in: transaction)
        }
        if let trace, let began { trace.got(id, revisionID, size: found?.json.count, began: began) }
        return found
    }

    func revision(
        _ revisionID: RevisionID,
        of id: DocumentID,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> SavedRevision? {
        if id.isLocal {
            let present = try localRevision(of: id, in: transaction)
            return present?.id == revisionID ? present : nil
        }
        guard let stored = try StoredDocument(id, of: self, in: transaction),
            let index = stored.tree.index(of: revisionID)
        else { return nil }
        return try stored.revision(at: index)
    }

    /// Returns the revision tree of a document, nil if there is no such document.
    package func revisionTree(of id: DocumentID) throws(StorageError) -> RevisionTree? {
        try withStored(id) { (stored) throws(StorageError) in stored.tree }
    }
}
