public import Dispatch
public import StorageProtocol

extension Document {
    /// The changes of this document only, like `Database.changes(following:buffer:)` for all documents. The document
    /// need not exist.
    ///
    /// - Throws: `badID` (494) if the ID is not allowed, or is that of a local document, whose changes are not
    ///   announced.
    public func changes(buffer: Int = Database.defaultChangeBuffer) throws(StorageError) -> ChangeStream {
        let id = try observableID()
        let feed = database.changeFeed
        return ChangeStream { feed.subscribe(following: nil, documentID: id, limit: buffer) }
    }

    /// Calls `body` with each change of this document, like `Database.addChangeListener` for all documents.
    ///
    /// - Throws: `badID` (494) if the ID is not allowed, or is that of a local document, whose changes are not
    ///   announced.
    public func addChangeListener(
        buffer: Int = Database.defaultChangeBuffer,
        queue: DispatchQueue? = nil,
        _ body: @escaping @Sendable (DatabaseChange) -> Void
    ) throws(StorageError) -> ChangeListener {
        let id = try observableID()
        return ChangeListener(
            database.changeFeed.subscribe(following: nil, documentID: id, limit: buffer),
            queue: queue,
            body
        )
    }

    private func observableID() throws(StorageError) -> DocumentID {
        let id = try documentID()
        guard !id.isLocal else {
            throw StorageError(.badID, "Changes of local documents are not announced. Observe another document.")
        }
        return id
    }
}
