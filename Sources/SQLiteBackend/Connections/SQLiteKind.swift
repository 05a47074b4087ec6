package import StorageProtocol

/// The library that an engine uses, and what follows from it for its stores.
package struct SQLiteKind: Sendable {
    package var storageType: StorageType
    package var capabilities: StorageCapabilities
    package var library: SQLiteLibrary
    /// Nil: the files are plain.
    package var cipher: (any FileCipher)?

    package init(
        storageType: StorageType,
        capabilities: StorageCapabilities,
        library: SQLiteLibrary,
        cipher: (any FileCipher)?
    ) {
        self.storageType = storageType
        self.capabilities = capabilities
        self.library = library
        self.cipher = cipher
    }

    // MARK: What factories do

    /// Opens or creates the store in `directory`.
    package func open(_ directory: String, _ options: StorageOptions) throws(StorageError) -> any StorageEngine {
        try SQLiteEngine(directory: directory, options: options, kind: self)
    }

    /// Runs `look` on the path of the file in `directory`, if there is one and this process has no connection to it.
    /// Prevents other threads from opening one during that time.
    package static func look(
        in directory: String,
        _ look: (_ path: String) throws(StorageError) -> Void
    ) throws(StorageError) {
        let path = directory + "/" + SQLiteEngine.fileName
        guard let file = FileFacts.identity(path) else { return }
        try OpenFiles.shared.withoutConnections(file) { () throws(StorageError) in try look(path) }
    }

    /// Returns what the log beside the file in `directory` holds.
    package static func pendingLog(in directory: String) -> PendingLog {
        let path = directory + "/" + SQLiteEngine.fileName
        guard let size = FileFacts.size(path + "-wal") else { return .none }
        // It can be read without writing as long as its index exists.
        if FileFacts.size(path + "-shm") != nil { return size > 0 ? .readable : .empty }
        return size > 0 ? .unreadable : .none
    }

    // MARK: Files

    /// Plain files, with a library that has been found usable.
    static func plain(_ library: SQLiteLibrary) -> SQLiteKind {
        SQLiteKind(storageType: .sqlite, capabilities: .ofSQLite, library: library, cipher: nil)
    }

    /// Checks that the log beside a file belongs to it and leaves it one of ours, before a connection uses it.
    package func checkLog(_ path: String) throws(StorageError) {
        if cipher == nil { try SQLiteEngine.checkFormatOfLog(at: path) }
        try LogOwner.check(path, kind: self)
    }

    /// Checks a file before a connection opens it.
    package func check(_ path: String) throws(StorageError) {
        let (size, hasLog) = (FileFacts.size(path) ?? 0, (FileFacts.size(path + "-wal") ?? 0) > 0)
        guard let cipher else {
            return try FileHeader.check(FileFacts.bytes(path, count: FileHeader.length), size: size, hasLog: hasLog)
        }
        try cipher.check(
            size: size,
            file: { try? FileFacts.bytes(path, at: $0, count: $1) },
            log: hasLog ? { try? FileFacts.bytes(path + "-wal", at: $0, count: $1) } : nil
        )
    }
}
