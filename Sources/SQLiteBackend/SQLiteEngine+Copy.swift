internal import CSetteeSQLiteAPI
internal import StorageProtocol

extension SQLiteEngine {
    /// Copies table by table in the order of keys, each with the indexes that it has from the start. `INSERT ... SELECT
    /// *` into an empty table with the same columns moves whole records, and fills every index in its own order, so
    /// that the pages are full. All of it reads one snapshot.
    func copy(
        toDirectory directory: String,
        options copyOptions: StorageCopyOptions,
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        let cipher = try cipher(ofCopy: copyOptions)
        // Counted as a reader, so that the engine's own file stays open and registered while it is read.
        let reader = try takeReader()
        defer { giveReader(reader) }
        let pageSize = try reader.number("PRAGMA page_size")
        let target = try FileFacts.realPath(directory) + "/" + SQLiteEngine.fileName
        let flags = sqlite_open_readwrite | sqlite_open_create | sqlite_open_uri
        FileFacts.makeEmpty(target)
        let connection = try Connection(ConnectionSettings.uri(target), flags: flags, library: kind.library)
        defer { connection.close() }
        try cipher?.unlock(connection)
        connection.setBusyTimeout(milliseconds: ConnectionSettings.busyMilliseconds)
        let access = options.immutable ? "immutable=1" : options.readOnly ? "mode=ro" : "mode=rw"
        try connection.execute(
            """
            \(cipher == nil ? "PRAGMA page_size = \(pageSize); " : "")PRAGMA journal_mode = OFF; PRAGMA synchronous = \
            FULL; \
            PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0; PRAGMA foreign_keys = OFF; \
            PRAGMA cache_size = -\(ConnectionSettings.writerCache)
            """,
            "Opening the copy"
        )
        let old = "\(ConnectionSettings.uri(path))?\(access)"
        if let present = kind.cipher {
            try present.attach(old, as: "old", to: connection)
        } else {
            try connection.execute("ATTACH '\(old)' AS old", "Opening the copy")
        }
        try connection.execute("PRAGMA old.cache_size = -\(ConnectionSettings.readerCache)", "Opening the copy")
        try copyTables(connection, target, UInt64(max(1, pageSize)), progress)
        _ = try connection.values("PRAGMA journal_mode = WAL")
        connection.close()
        try check(directory, target, cipher)
        try FileFacts.syncDirectory(directory)
    }

    /// Checks a copy that has been made, and removes it if it is wrong.
    private func check(
        _ directory: String,
        _ target: String,
        _ cipher: (any FileCipher)?
    ) throws(StorageError) {
        do {
            var made = kind
            made.cipher = cipher
            try SQLiteKind.look(in: directory) { (path) throws(StorageError) in try made.check(path) }
        } catch {
            for suffix in SQLiteEngine.fileSuffixes { FileFacts.remove(target + suffix) }
            throw error
        }
    }

    /// Returns the cipher of a copy.
    ///
    /// - Throws: `notImplemented` (501) for a compression, and if the copy must be encrypted and this store is not, or
    ///   the other way round.
    private func cipher(ofCopy options: StorageCopyOptions) throws(StorageError) -> (any FileCipher)? {
        guard let cipher = kind.cipher, case .other(let key) = options.key else {
            try requireSame(options)
            return kind.cipher
        }
        try requireSame(StorageCopyOptions(compression: options.compression))
        return try cipher.with(key)
    }

    private func copyTables(
        _ connection: Connection,
        _ target: String,
        _ pageSize: UInt64,
        _ progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        try connection.execute("BEGIN", "Copying")
        for sql in ConnectionSettings.ownership { try connection.execute(sql, "Copying") }
        // Leftovers of dropped indexes and of entries that were removed all at once are not copied.
        let numbers = try connection.values(
            "SELECT number FROM old.indexes WHERE name IS NOT NULL ORDER BY number",
            "Copying"
        )
        let tables = Schema.tables + numbers.compactMap { Int64($0) }.flatMap(Schema.indexTables)
        let used = try connection.number("PRAGMA old.page_count") - connection.number("PRAGMA old.freelist_count")
        let total = UInt64(max(1, used))
        var stop: StorageError?
        let report = {
            do throws(StorageError) {
                try progress(min(total, (FileFacts.size(target) ?? 0) / pageSize), total)
            } catch {
                stop = error
            }
            return stop == nil
        }
        do {
            for table in tables {
                try connection.execute(table.sql, "Copying")
                // Before there are rows, because SQLite would otherwise sort them all in memory.
                for index in Schema.indexes where index.table == table.name {
                    try connection.execute(index.sql, "Copying")
                }
                let some =
                    switch table.name {
                    case "indexes": " WHERE name IS NOT NULL"
                    case "index_entries":
                        " WHERE number IN (SELECT entries FROM old.indexes WHERE name IS NOT NULL)"
                    case "removed_entries": " WHERE 0"
                    default: ""
                    }
                let sql = "INSERT INTO main.\(table.name) SELECT * FROM old.\(table.name)\(some)"
                try connection.execute(sql, "Copying", watch: report)
            }
            // The zeros that replace a damaged page would be written as if they were content.
            try connection.checkPagesRead(of: "old")
            try connection.execute("COMMIT", "Copying")
        } catch {
            throw stop ?? error
        }
        try progress(total, total)
    }
}
