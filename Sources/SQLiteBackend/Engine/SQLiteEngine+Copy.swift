internal import CSetteeSQLiteAPI
internal import StorageProtocol

extension SQLiteEngine {
    /// Copies table by table in the order of keys, each with the indexes it has from the start: `INSERT ... SELECT *` into
    /// an empty table of the same shape moves whole records, and fills every index in its own order, so that pages come out
    /// full. All of it reads one snapshot.
    func copy(
        toDirectory directory: String,
        options copyOptions: StorageCopyOptions,
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        try requireSame(copyOptions)
        // Counted as a reader: the engine's own file stays open and known while it is read.
        let reader = try takeReader()
        defer { giveReader(reader) }
        let pageSize = try reader.number("PRAGMA page_size")
        let target = try FileFacts.realPath(directory) + "/" + SQLiteEngine.fileName
        let flags = sqlite_open_readwrite | sqlite_open_create | sqlite_open_uri
        let connection = try Connection(ConnectionSettings.uri(target), flags: flags, library: library)
        defer { connection.close() }
        connection.setBusyTimeout(milliseconds: ConnectionSettings.busyMilliseconds)
        let access = options.immutable ? "immutable=1" : options.readOnly ? "mode=ro" : "mode=rw"
        try connection.execute(
            """
            PRAGMA page_size = \(pageSize); PRAGMA journal_mode = OFF; PRAGMA synchronous = FULL; \
            PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0; PRAGMA foreign_keys = OFF; \
            PRAGMA cache_size = -\(ConnectionSettings.writerCache); \
            ATTACH '\(ConnectionSettings.uri(path))?\(access)' AS old; \
            PRAGMA old.cache_size = -\(ConnectionSettings.readerCache)
            """,
            "Opening the copy"
        )
        try copyTables(connection, target, UInt64(max(1, pageSize)), progress)
        _ = try connection.values("PRAGMA journal_mode = WAL")
        connection.close()
        try FileFacts.syncDirectory(directory)
    }

    private func copyTables(
        _ connection: Connection,
        _ target: String,
        _ pageSize: UInt64,
        _ progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        try connection.execute("BEGIN", "Copying")
        for sql in ConnectionSettings.ownership { try connection.execute(sql, "Copying") }
        // What dropped indexes have left stays behind, as do entries that went all at once.
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
            for sql in Schema.indexes { try connection.execute(sql, "Copying") }
            try connection.execute("COMMIT", "Copying")
        } catch {
            throw stop ?? error
        }
        try progress(total, total)
    }
}
