internal import SetteeStorageFiles
public import StorageProtocol

extension Database {
    /// Deletes the database with all it holds: documents, attachments, indexes. It is closed then, for whoever holds
    /// it, and every call throws `notOpen` (503). What `Manager.deleteDatabase` does by name.
    ///
    /// - Throws: `notOpen` (503) where it is closed or deleted already, `inUse` (423) where another process has it open
    ///   (it stays open here then), `readOnly` (403) where it is open read-only or its folder cannot be written,
    ///   `callback` (593) inside a transaction, snapshot or closure on it.
    public func delete() throws(StorageError) {
        guard isOpen else { throw StorageError(.notOpen, "The database is closed or deleted already.") }
        guard !isReadOnly else { throw .readOnly }
        guard let path else { return try close(because: "was deleted") }
        try DatabaseOpener.delete(path: path)
    }
}
