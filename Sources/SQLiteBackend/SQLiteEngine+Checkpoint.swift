internal import StorageProtocol
internal import Synchronization

extension SQLiteEngine {
    /// New frames in the log at which a small commit moves it into the file, as far as readers allow. A log that stays
    /// short is overwritten from its start, which is cheaper to sync than one that grows.
    static let framesAtEase: Int32 = 1000
    /// The same for a commit of many pages: pages that several of them change go to the file once.
    static let framesAtEaseOfLarge: Int32 = 4000
    /// How many frames make a commit a large one.
    static let largeCommit: Int32 = 100
    /// Frames in the log at which a commit also waits a moment for readers to leave, so that the log can begin anew.
    static let framesAtMost: Int32 = 16_000
    static let patienceMilliseconds: Int32 = 20

    /// Called after each commit on the writer connection, while its transaction's locks are still held by the caller.
    ///
    /// A failure here takes nothing from the commit; the next checkpoint meets it again.
    func didCommit(_ connection: Connection) {
        let frames = connection.framesInLog
        if frames < connection.framesBefore {
            // The log began anew.
            connection.framesBefore = 0
            connection.framesMoved = 0
        }
        let isLarge = frames - connection.framesBefore >= SQLiteEngine.largeCommit
        connection.framesBefore = frames
        let limit = isLarge ? SQLiteEngine.framesAtEaseOfLarge : SQLiteEngine.framesAtEase
        guard frames - connection.framesMoved >= limit else { return }
        connection.framesMoved = frames
        guard frames >= SQLiteEngine.framesAtMost else {
            _ = try? connection.checkpoint(.passive)
            return
        }
        connection.setBusyTimeout(milliseconds: SQLiteEngine.patienceMilliseconds)
        _ = try? connection.checkpoint(.truncate)
        connection.setBusyTimeout(milliseconds: ConnectionSettings.busyMilliseconds)
    }

    func checkpoint() throws(StorageError) {
        if options.readOnly { throw .readOnly }
        if isWriting(.current) { return try syncBesideWriter() }
        let connection = try takeIdleWriter()
        defer { giveWriter(connection) }
        connection.setBusyTimeout(milliseconds: 0)
        defer { connection.setBusyTimeout(milliseconds: ConnectionSettings.busyMilliseconds) }
        // A checkpoint syncs the log too, but not where readers keep it from moving anything.
        try sync(connection)
        if try connection.checkpoint(.truncate) { logIsInDoubt.store(false, ordering: .relaxed) }
        try requireSoundLog()
    }

    /// Inside the calling thread's write transaction: what was committed before it is synced, and nothing is moved.
    private func syncBesideWriter() throws(StorageError) {
        let connection = try takeReader()
        defer { giveReader(connection) }
        // The log is open once something was read.
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

    /// After a sync that failed the system may take the log's pages for written: only a log that was moved as a whole
    /// says that nothing is missing.
    private func requireSoundLog() throws(StorageError) {
        guard logIsInDoubt.load(ordering: .relaxed) else { return }
        throw StorageError(
            .storage,
            "The database's log could not be synced before. Check the medium, close the database and open it again."
        )
    }
}
