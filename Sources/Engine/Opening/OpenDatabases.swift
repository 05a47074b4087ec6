internal import SetteeStorageFiles
internal import StorageProtocol

/// The databases of this process that are open, or not yet quite closed, by folder.
enum OpenDatabases {
    enum Registration {
        case none
        case open(Database)
        /// It is being closed, perhaps by its `deinit`. The folder is free once the turnstile opens.
        case closing(Database?, Turnstile)
    }

    private struct Entry {
        weak var database: Database?
        let closed: Turnstile
    }

    private static let entries = Locked<[FileIdentity: Entry]>([:])

    static func registration(_ path: String) throws(StorageError) -> Registration {
        guard let identity = try FolderInfo.identity(of: path) else { return .none }
        return entries.withLock { entries in
            guard let entry = entries[identity] else { return .none }
            guard let database = entry.database, database.isOpen else { return .closing(entry.database, entry.closed) }
            return .open(database)
        }
    }

    static func add(_ database: Database, _ identity: FileIdentity) {
        entries.withLock { $0[identity] = Entry(database: database, closed: database.closed) }
    }

    /// Forgets a database that was closed; another one of the same folder stays.
    static func remove(_ identity: FileIdentity, closedBy closed: Turnstile) {
        entries.withLock { entries in
            if entries[identity]?.closed === closed { entries[identity] = nil }
        }
    }

    /// Waits until a database that is being closed has left its folder.
    ///
    /// - Throws: `notOpen` (503) where this thread itself reads from that database, which keeps it from closing.
    static func wait(for database: Database?, _ closed: Turnstile) throws(StorageError) {
        if let database, ThreadContext.current.activity(on: database) != nil {
            throw StorageError(.notOpen, "The database is being closed while this thread reads from it.")
        }
        closed.wait()
    }
}
