internal import CSetteeSQLiteAPI
internal import StorageProtocol

extension SQLiteEngine {
    /// Checks a log that is about to be recovered. Called before the process has a connection to the file. If another
    /// process has one, the log was recovered when that was opened.
    static func damageOfLog(at path: String) -> StorageProblem? {
        guard (FileFacts.size(path + "-wal") ?? 0) > 0, !isLogInUse(at: path),
            let log = LogFile(path + "-wal"), let damage = LogScan.damage(in: log)
        else { return nil }
        return problem(damage, "are lost")
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
                    + "\(commits) commits or more after that \(consequence)."
            )
        }
    }
}
