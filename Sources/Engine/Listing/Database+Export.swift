internal import SetteeDocumentValues
package import StorageProtocol

extension Database {
    /// Passes every live document to `body` in the order of IDs, with the body of its current revision, the ID of that
    /// revision and those of its ancestors, newest first. All are from one state, whose contents of attachments exist
    /// meanwhile.
    ///
    /// - Parameter body: its arguments are valid only inside it.
    package func exportDocuments(
        _ body: (borrowing RecordView, _ history: [RevisionID]) throws(StorageError) -> Void
    ) throws(StorageError) {
        let context = ThreadContext.current
        try withReadGeneration(readsBlobs: true) { (transaction, generation) throws(StorageError) in
            try transaction.orderedRecords(in: .all, descending: false, fields: .all) { (record) throws(StorageError) in
                guard !record.flags.contains(.deleted) else { return true }
                let tree = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(stored: bytes) }
                guard let winner = tree.winner else {
                    throw .emptyTree(try record.documentID())
                }
                let history = tree.history(of: winner.id).map(\.id)
                try context.with(.snapshot(transaction, generation), on: self) { () throws(StorageError) in
                    try body(record, history)
                }
                return true
            }
        }
    }
}
