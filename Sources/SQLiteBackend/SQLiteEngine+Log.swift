internal import CSetteeSQLiteAPI
internal import StorageProtocol

extension SQLiteEngine {
    /// Checks a log that is about to be recovered, and whether an earlier one was damaged. Called before the process
    /// has a connection to the file. If another process has one, the log was recovered when that was opened.
    ///
    /// - Parameter keepsLog: Whether a damaged log is copied first, because recovery removes it.
    /// - Throws: `full` (507), `fileSystem` (498) if it cannot be copied.
    static func damageOfLogs(at path: String, keepsLog: Bool) throws(StorageError) -> [StorageProblem] {
        var problems: [StorageProblem] = []
        if (FileFacts.size(path + "-wal") ?? 0) > 0, !isLogInUse(at: path), let log = LogFile(path + "-wal"),
            let damage = LogScan.damage(in: log)
        {
            problems.append(problem(damage, "are lost"))
            if keepsLog { try KeptLog.keep(log, of: path) }
        }
        if let kept = KeptLog.problem(at: path) { problems.append(kept) }
        return problems
    }

    /// Whether a connection of another process uses the log.
    static func isLogInUse(at path: String) -> Bool { unsafe sqlite_log_is_in_use(path + "-shm") }

    /// Checks the log that the connections currently use.
    func damageOfLog(_ connection: Connection) throws(StorageError) -> StorageProblem? {
        if options.immutable { return nil }
        let snapshot = try connection.holdSnapshot()
        defer { connection.give(snapshot) }
        return LogScan.damage(in: ConnectionLog(connection: connection)).map {
            SQLiteEngine.problem(
                $0,
                "are lost, or will be if this process and all others end without closing the database"
            )
        }
    }

    private static func problem(_ damage: LogScan.Damage, _ consequence: String) -> StorageProblem {
        switch damage {
        case .header:
            StorageProblem(
                area: "log",
                message:
                    "The header of the database's log is damaged: commits that were not yet moved into the file "
                    + "\(consequence)."
            )
        case .frames(let first, let commits):
            StorageProblem(
                area: "log",
                message: "The database's log is damaged at frame \(first): "
                    + "\(commits) commits or more from there on \(consequence)."
            )
        }
    }
}
