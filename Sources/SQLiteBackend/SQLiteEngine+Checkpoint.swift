internal import StorageProtocol
internal import Synchronization

extension SQLiteEngine {
    /// The number of new frames in the log at which a small commit lets it be moved into the file. A log that stays
    /// short is overwritten from its start, which costs less than letting it grow.
    static let framesAtEase: Int32 = 1000
    /// The same for a commit of many pages: pages that several commits change are written to the file only once.
    static let framesAtEaseOfLarge: Int32 = 4000
    /// The number of frames from which a commit counts as large.
    static let largeCommit: Int32 = 100
    /// The number of frames in the log at which a commit moves them itself, and waits briefly for readers to finish, so
    /// that the log can begin again.
    static let framesAtMost: Int32 = 16_000
    static let patienceMilliseconds: Int32 = 20

    /// Called after each commit on the writer connection, while the caller still holds the locks of its transaction.
    ///
    /// A failure here does not affect the commit; the next checkpoint will encounter it again.
    func didCommit(_ connection: Connection) {
        let frames = connection.framesInLog
        if frames < connection.framesBefore {
            // The log has begun again.
            connection.framesBefore = 0
            connection.framesMoved = 0
            backgroundCheckpoint.forget()
        }
        let isLarge = frames - connection.framesBefore >= SQLiteEngine.largeCommit
        connection.framesBefore = frames
        if backgroundCheckpoint.takeCatchingUp() {
            // Little is left to move, and with that the log can begin again.
            connection.framesMoved = frames
            _ = try? connection.checkpoint(.passive)
            return
        }
        let limit = isLarge ? SQLiteEngine.framesAtEaseOfLarge : SQLiteEngine.framesAtEase
        guard frames - connection.framesMoved >= limit else { return }
        guard frames >= SQLiteEngine.framesAtMost else {
            switch backgroundCheckpoint.begin() {
            case .begun: connection.framesMoved = frames
            case .running: break
            case .unavailable:
                connection.framesMoved = frames
                _ = try? connection.checkpoint(.passive)
            }
            return
        }
        connection.framesMoved = frames
        backgroundCheckpoint.wait()
        connection.setBusyTimeout(milliseconds: SQLiteEngine.patienceMilliseconds)
        _ = try? connection.checkpoint(.truncate)
        connection.setBusyTimeout(milliseconds: ConnectionSettings.busyMilliseconds)
    }

    func checkpoint() throws(StorageError) {
        if options.readOnly { throw .readOnly }
        if isWriting(.current) { return try syncBesideWriter() }
        let connection = try takeIdleWriter()
        defer { giveWriter(connection) }
        // None begins now, because only the writer begins one.
        backgroundCheckpoint.wait()
        connection.setBusyTimeout(milliseconds: 0)
        defer { connection.setBusyTimeout(milliseconds: ConnectionSettings.busyMilliseconds) }
        // A checkpoint also syncs the log, except when readers keep it from moving anything.
        try sync(connection)
        if try !connection.checkpoint(.truncate).isHeldUp { logIsInDoubt.store(false, ordering: .relaxed) }
        try requireSoundLog()
    }

    /// Syncs inside the calling thread's write transaction: what was committed before it is synced, and nothing is
    /// moved.
    private func syncBesideWriter() throws(StorageError) {
        let connection = try takeReader()
        defer { giveReader(connection) }
        // The log is open once something has been read.
        connection.give(try connection.holdSnapshot())
        try sync(connection)
        try requireSoundLog()
    }

    private func sync(_ connection: Connection) throws(StorageError) {
        do {
            try connection.syncLog()
        } catch {
            logIsInDoubt.store(true, ordering: .relaxed)
            throw error
        }
    }

    /// Throws while the log may be incomplete. After a failed sync the system may treat the log's pages as written.
    /// Only when the whole log has been moved is it certain that nothing is missing.
    private func requireSoundLog() throws(StorageError) {
        guard logIsInDoubt.load(ordering: .relaxed) else { return }
        throw StorageError(
            .storage,
            "The database's log could not be synced before. Check the medium, close the database and open it again."
        )
    }
}
