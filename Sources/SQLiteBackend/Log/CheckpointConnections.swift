internal import StorageProtocol

/// A connection that moves the log, and one that reads meanwhile so that the log does not begin again.
///
/// SQLite before 3.51.3 (but for 3.44.6 and 3.50.7) loses commits if the log begins again while a checkpoint has read
/// the log's header and nothing else yet: it then notes as many frames of the new log as moved as the old one had
/// (https://sqlite.org/wal.html, "the WAL-reset bug"). A log only begins again if no reader uses it. A reader of a log
/// that has been moved as a whole does not use it; then the checkpoint cannot get the lock that it needs, and moves
/// nothing.
struct CheckpointConnections {
    let mover: Connection
    let reader: Connection

    init(_ settings: ConnectionSettings) throws(StorageError) {
        mover = try settings.plainWriter()
        reader = try settings.plainWriter()
        for connection in [mover, reader] {
            connection.setBusyTimeout(milliseconds: ConnectionSettings.busyMilliseconds)
            // A connection only knows the log once it has read it.
            _ = try connection.number("PRAGMA schema_version")
        }
        // A checkpoint waits for nobody.
        mover.setBusyTimeout(milliseconds: 0)
    }

    /// Moves what is in the log, as far as other readers allow.
    func pass() throws(StorageError) -> Connection.CheckpointResult {
        let snapshot = try reader.holdSnapshot()
        defer { reader.give(snapshot) }
        return try mover.checkpoint(.passive)
    }

    func close() {
        mover.close()
        reader.close()
    }
}
