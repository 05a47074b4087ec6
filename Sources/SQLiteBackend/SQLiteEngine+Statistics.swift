internal import StorageProtocol

extension SQLiteEngine {
    func statistics() throws(StorageError) -> StorageStatistics {
        let open = openTransactions
        let connection = try takeReader()
        defer { giveReader(connection) }
        let pageSize = try connection.number("PRAGMA page_size")
        let free = try connection.number("PRAGMA freelist_count")
        let pages = try connection.number("PRAGMA page_count")
        let logBytes = FileFacts.size(path + "-wal") ?? 0
        let bytes = ["", "-wal", "-shm"].reduce(0) { $0 + (FileFacts.size(path + $1) ?? 0) }
        return StorageStatistics(
            bytesOnDisk: bytes,
            freeBytes: UInt64(max(0, free)) * UInt64(max(0, pageSize)),
            openTransactions: open,
            details: [
                ("sqliteVersion", kind.library.versionText),
                ("pageSize", "\(pageSize)"),
                ("pageCount", "\(pages)"),
                ("freePages", "\(free)"),
                ("logBytes", "\(logBytes)"),
                ("logFrames", "\(pageSize > 0 ? logBytes / UInt64(pageSize + 24) : 0)"),
                ("durability", durability.rawValue),
            ] + (kind.cipher?.details ?? [])
        )
    }

    func verify(
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError) {
        let connection = try takeReader()
        defer { giveReader(connection) }
        if kind.cipher == nil { try progress(0, 2) }
        let lines: [String]
        do {
            // A limited number of lines, because one damaged page can cause thousands.
            let problems = try connection.values("PRAGMA integrity_check(1000)", "Checking the pages")
            let tables = Set(try connection.values("SELECT name FROM sqlite_master WHERE type = 'table'"))
            let missing = Schema.tables.map(\.name).filter { !tables.contains($0) }
            lines = problems + missing.map { "The table '\($0)' is missing." }
        } catch  where error.code == .corrupt {
            lines = [error.message]
        }
        for line in lines where line != "ok" { report(StorageProblem(area: "pages", message: line)) }
        if let cipher = kind.cipher {
            try cipher.verify(connection, hasLog: !options.immutable, progress: progress, report)
        } else {
            try progress(1, 2)
        }
        openingProblems.forEach(report)
        // What was lost at opening may still be in the log.
        if openingProblems.isEmpty, let problem = try damageOfLog(connection) { report(problem) }
        if kind.cipher == nil { try progress(2, 2) }
    }
}
