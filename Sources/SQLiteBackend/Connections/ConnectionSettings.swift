internal import CSetteeSQLiteAPI
internal import StorageProtocol

/// How the connections of an engine are opened.
struct ConnectionSettings {
    var path: String
    var options: StorageOptions
    var kind: SQLiteKind
    /// The file that must be at the path; nil: whichever is there. Connections that are opened later would otherwise be
    /// to another database's file if the folder was replaced.
    var file: FileIdentity?
    /// Whether this is an engine's first connection. After that the key is known to be right.
    var isFirst = false

    /// The size of a page in new databases in bytes; measured, see docs/internals/sqlite-engine.md.
    static let pageSize = 4096
    /// KiB of pages that the writer, and each reader, keeps in memory; measured, see docs/internals/sqlite-engine.md.
    static let writerCache = 16384
    static let readerCache = 16384
    /// KiB of pages that a walk over more than a reader's cache can hold may always have.
    static let walkCache = 512
    /// The size to which a log that has grown is truncated when it begins again.
    static let logLimit = 32 << 20
    /// How long SQLite waits for other programs, such as the `sqlite3` shell.
    static let busyMilliseconds: Int32 = 10_000

    /// Opens the connection that writes.
    func writer() throws(StorageError) -> Connection {
        let connection = try plainWriter()
        try configure(connection, cache: ConnectionSettings.writerCache)
        let mode = try connection.values("PRAGMA journal_mode = WAL")
        guard mode == ["wal"] else {
            throw StorageError(
                .storage,
                "The database file cannot use a write-ahead log here. Move it to a local disk: network file systems "
                    + "lack "
                    + "the shared memory it needs."
            )
        }
        try connection.execute("PRAGMA synchronous = \(options.durability == .full ? "FULL" : "NORMAL")")
        try connection.addFeed()
        try check(connection)
        return connection
    }

    /// Opens a connection that only reads.
    func reader() throws(StorageError) -> Connection {
        let connection: Connection
        do {
            connection = try opened()
            try configure(connection, cache: ConnectionSettings.readerCache)
            try connection.execute("PRAGMA query_only = ON")
            try check(connection)
        } catch  where options.readOnly && !options.immutable && [.fileSystem, .readOnly].contains(error.code) {
            throw StorageError(
                .readOnly,
                "The folder cannot be written, and reading needs the write-ahead log's shared memory in it. "
                    + "Grant write permission, copy the database to a writable place, or put it on a read-only medium.",
                cause: error
            )
        }
        return connection
    }

    private func opened() throws(StorageError) -> Connection {
        if options.immutable {
            return try opened(ConnectionSettings.uri(path) + "?immutable=1", sqlite_open_readonly | sqlite_open_uri)
        }
        // Readers of a writable store open the file in the same mode as its writer, so that the last one to be closed,
        // whichever it is, can remove the log.
        let access = options.readOnly ? sqlite_open_readonly : sqlite_open_readwrite
        return try opened(path, access)
    }

    /// Opens a connection that could write, without further settings.
    func plainWriter() throws(StorageError) -> Connection { try opened(path, sqlite_open_readwrite) }

    /// Opens a connection and sets its key, if there is one.
    private func opened(_ target: String, _ flags: Int32) throws(StorageError) -> Connection {
        try requireFile()
        let connection = try Connection(target, flags: flags, library: kind.library)
        try requireFile()
        try kind.cipher?.unlock(connection)
        return connection
    }

    private func requireFile() throws(StorageError) {
        guard let file, FileFacts.identity(path) != file else { return }
        throw StorageError(
            .notOpen,
            "The files of the database were removed, moved or replaced while it was open. Close the database and open "
                + "it again."
        )
    }

    /// Returns `file:` and the path, with all characters percent-encoded except unreserved ones and slashes.
    static func uri(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes = Array("file:".utf8)
        for byte in path.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F, 0x7E: bytes.append(byte)
            default: bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func configure(_ connection: Connection, cache: Int) throws(StorageError) {
        connection.setBusyTimeout(milliseconds: ConnectionSettings.busyMilliseconds)
        do {
            // Some of these read the file, for the first time.
            try connection.execute(
                """
                PRAGMA cache_size = -\(cache); PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = \
                OFF; \
                PRAGMA cell_size_check = ON; PRAGMA journal_size_limit = \(ConnectionSettings.logLimit)
                """
            )
        } catch  where isFirst && kind.cipher != nil && (error.cause as? SQLiteFailure)?.isNoDatabase == true {
            throw .wrongKey
        }
    }

    /// Checks what only a connection sees: the header including the log, and whether the tables exist.
    private func check(_ connection: Connection) throws(StorageError) {
        // On one snapshot, because each query would otherwise lock the file for itself.
        try connection.run(.begin, "Beginning a snapshot")
        let id = try connection.number("PRAGMA application_id")
        let version = try connection.number("PRAGMA user_version")
        try FileHeader.checkOwner(
            applicationID: UInt32(truncatingIfNeeded: id),
            version: UInt32(truncatingIfNeeded: version)
        )
        for query in [Query(.counters), .record(.all)] { connection.give(try connection.take(query)) }
        try connection.run(.commit, "Ending a snapshot")
    }

    // MARK: Creating

    /// Creates the database file, complete and synced.
    func create(inDirectory directory: String) throws(StorageError) {
        do {
            FileFacts.makeEmpty(path)
            let flags = sqlite_open_readwrite | sqlite_open_create
            let connection = try opened(path, flags)
            defer { connection.close() }
            try lay(connection)
            _ = try connection.values("PRAGMA journal_mode = WAL")
            connection.close()
            try SQLiteKind.look(in: directory) { (path) throws(StorageError) in try kind.check(path) }
        } catch {
            for suffix in SQLiteEngine.fileSuffixes { FileFacts.remove(path + suffix) }
            throw error
        }
        try FileFacts.syncDirectory(directory)
    }

    private func lay(_ connection: Connection) throws(StorageError) {
        // A cipher has already set the page size.
        let pageSize = kind.cipher == nil ? ["PRAGMA page_size = \(ConnectionSettings.pageSize)"] : []
        let statements =
            pageSize + ["PRAGMA synchronous = FULL", "BEGIN IMMEDIATE"] + ConnectionSettings.ownership
            + Schema.tables.map(\.sql) + Schema.indexes.map(\.sql) + Schema.firstRows + ["COMMIT"]
        for sql in statements { try connection.execute(sql, "Making the database file") }
    }

    /// Marks the file as ours, and makes its schema versions differ from those of other files (`LogOwner`).
    static var ownership: [String] {
        [
            "PRAGMA application_id = \(FileHeader.applicationID)",
            "PRAGMA user_version = \(FileHeader.formatVersion)",
            "PRAGMA schema_version = \(UInt32.random(in: 1 << 17...1 << 30))",
        ]
    }
}
