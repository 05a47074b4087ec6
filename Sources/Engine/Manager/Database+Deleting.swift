internal import SetteeStorageFiles
public import StorageProtocol

extension Database {
    /// Deletes the database with everything in it: documents, attachments, indexes. Every handle on it is closed, and
    /// every call then throws `notOpen` (503). `Manager.deleteDatabase` does the same by name.
    ///
    /// - Throws: `notOpen` (503) if it is already closed or deleted, `inUse` (423) if another process has it open (it
    ///   then stays open here), `readOnly` (403) if it is open read-only or its folder cannot be written, `callback`
    ///   (593) inside a transaction, snapshot or closure on it.
    public func delete() throws(StorageError) {
        guard isOpen else { throw StorageError(.notOpen, "The database is closed or deleted already.") }
        guard !isReadOnly else { throw .readOnly }
        guard let path else { return try close(because: "was deleted") }
        try DatabaseOpener.delete(path: path)
    }
}
