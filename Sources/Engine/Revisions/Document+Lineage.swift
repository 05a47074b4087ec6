internal import SetteeDocumentValues
package import StorageProtocol

extension Document {
    /// Returns a revision and its known ancestors, newest first, and all leaves of the document in the order in which
    /// they win, from one state. Both are empty if there is no such document.
    package func lineage(
        of revision: RevisionID
    ) throws(StorageError) -> (history: [RevisionInfo], leaves: [RevisionLeaf]) {
        let id = try documentID()
        return try database.withReadTransaction { (transaction) throws(StorageError) in
            guard !id.isLocal, let stored = try StoredDocument(id, of: database, in: transaction) else {
                return ([], [])
            }
            let leaves = stored.tree.leaves.map { RevisionLeaf(id: $0.id, isDeleted: $0.isDeleted) }
            return (try stored.history(of: revision), leaves)
        }
    }
}
