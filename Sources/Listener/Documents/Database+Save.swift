internal import SetteeEngine
internal import StorageProtocol

extension Database {
    /// Saves a revision on top of a parent. Blocks.
    ///
    /// - Throws: `conflict` (409) also where there is no document that the parent could be of: CouchDB answers so, and
    ///   clients read the document again then.
    func save(_ body: DocumentBody, as id: DocumentID, parent: RevisionID?) throws(StorageError) -> SavedRevision {
        do throws(StorageError) {
            return try put(id, body, parent: parent)
        } catch {
            guard error.code == .notFound else { throw error }
            throw StorageError(.conflict, error.message)
        }
    }
}
