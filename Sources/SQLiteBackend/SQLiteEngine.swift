internal import CSetteeSQLiteAPI
internal import Dispatch
internal import StorageEngineKit
internal import StorageProtocol
internal import Synchronization

/// A store in one SQLite file: one connection that writes, opened at the first write, and as many others as there are
/// readers at a time, up to a limit.
final class SQLiteEngine: StorageEngine {
    var storageType: StorageType { kind.storageType }
    var capabilities: StorageCapabilities { kind.capabilities }
    let compression = Compression.uncompressed

    let directory: String
    let path: String
    let options: StorageOptions
    let kind: SQLiteKind
    private let file: FileIdentity
    /// Of the connections that are opened later.
    let settings: ConnectionSettings
    let openingProblems: [StorageProblem]
    /// Whether there was a log before this engine was opened.
    private let hadLog: Bool

    /// Allows one live write transaction at a time.
    private let writerGate = WriterGate()
    let state: Locked<State>
    private let closed = Atomic<Bool>(false)
    /// Whether the log's last sync failed.
    let logIsInDoubt = Atomic<Bool>(false)
    let backgroundCheckpoint: BackgroundCheckpoint
    /// How long a reader waits when the maximum number of readers is active.
    let readerPatience: DispatchTimeInterval

    struct State {
        /// Nil until something is written.
        var writer: Connection?
        /// The thread of the live write transaction.
        var writing: ThreadIdentity?
        var readers: ReaderPool
        /// The durability of commits, and the one currently set on the writer connection.
        var durability: Durability
        var writerDurability: Durability
        var transactions = 0
    }

    static let fileName = "db.sqlite3"
    /// The suffixes of the names of all files that SQLite opens.
    static let fileSuffixes = ["", "-journal", "-wal", "-shm"]

    init(
        directory: String,
        options: StorageOptions,
        kind: SQLiteKind,
        readerLimit: Int = ReaderPool.usualLimit,
        readerPatience: DispatchTimeInterval = .milliseconds(Int(ConnectionSettings.busyMilliseconds))
    ) throws(StorageError) {
        var options = options
        if options.immutable { options.readOnly = true }
        let directory = try FileFacts.realPath(directory)
        self.directory = directory
        self.options = options
        self.kind = kind
        self.readerPatience = readerPatience
        path = directory + "/" + SQLiteEngine.fileName
        let path = path
        for suffix in SQLiteEngine.fileSuffixes + KeptLog.suffixes {
            try FileFacts.requireFileOrNothing(path + suffix)
        }
        hadLog = FileFacts.size(path + "-wal") != nil
        let isNew = try SQLiteEngine.isToBeCreated(path, directory, options)
        if !isNew { try options.requireNoneToBeBuilt() }
        var settings = ConnectionSettings(path: path, options: options, kind: kind)
        if isNew { try settings.create(inDirectory: directory) }
        if options.immutable { try SQLiteEngine.checkLogIsEmpty(path) }
        guard let file = FileFacts.identity(path) else {
            throw StorageError(.fileSystem, "The database file '\(path)' cannot be examined. Check its permissions.")
        }
        (self.file, settings.file) = (file, file)
        backgroundCheckpoint = BackgroundCheckpoint(settings)
        self.settings = settings
        var problems: [StorageProblem] = []
        let (takesLog, isReadOnly) = (!options.immutable, options.readOnly)
        try OpenFiles.shared.enter(file) { () throws(StorageError) in
            try kind.check(path)
            if takesLog { try kind.checkLog(path) }
            try RollbackJournal.check(path + "-journal")
            if takesLog { problems = try SQLiteEngine.damageOfLogs(at: path, keepsLog: !isReadOnly) }
        }
        openingProblems = problems
        do {
            var firstSettings = settings
            firstSettings.isFirst = true
            let first = try firstSettings.reader()
            var writer: Connection?
            // A file without a log gets one at once.
            if !options.readOnly, try !first.hasLog() { writer = try settings.writer() }
            let readers = ReaderPool(first, connections: writer == nil ? 1 : 2, limit: readerLimit)
            state = Locked(
                State(
                    writer: writer,
                    readers: readers,
                    durability: options.durability,
                    writerDurability: options.durability
                )
            )
        } catch {
            OpenFiles.shared.leave(file)
            throw error
        }
    }

    deinit { close() }

    private static func isToBeCreated(
        _ path: String,
        _ directory: String,
        _ options: StorageOptions
    ) throws(StorageError) -> Bool {
        let names = try FileFacts.names(in: directory)
        if names.contains(fileName) { return false }
        guard names.isEmpty else {
            throw .corrupt("The folder '\(directory)' holds other files, but no '\(fileName)'")
        }
        guard options.create else {
            throw StorageError(
                .notFound,
                "The folder '\(directory)' holds no database. Open it with `create` to make one."
            )
        }
        if options.readOnly { throw .readOnly }
        return true
    }

    /// An immutable database is read without its log, so the content of a log would be missing.
    private static func checkLogIsEmpty(_ path: String) throws(StorageError) {
        guard (FileFacts.size(path + "-wal") ?? 0) == 0 else {
            throw StorageError(
                .readOnly,
                "The database has a log that was not moved into its file ('\(path)-wal'), which needs a writable "
                    + "folder. "
                    + "Copy the folder to a writable place, open and close it there once, or use that copy."
            )
        }
    }

    // MARK: Transactions

    var isClosed: Bool { closed.load(ordering: .acquiring) }

    func checkOpen() throws(StorageError) {
        if isClosed { throw .closed }
    }

    func beginWrite(patience: Duration?) throws(StorageError) -> any WriteTransaction {
        SQLiteWriteTransaction(writing: self, try takeWriter(patience))
    }

    /// Returns the writer connection with a transaction begun, for exclusive use until `giveWriter`.
    private func takeWriter(_ patience: Duration?) throws(StorageError) -> Connection {
        let end = patience.map { ContinuousClock.now.advanced(by: min($0, .seconds(1 << 32))) }
        let connection = try takeIdleWriter(patience)
        do {
            try applyDurability(to: connection)
            try begin(on: connection, until: end)
        } catch {
            giveWriter(connection)
            throw error
        }
        return connection
    }

    /// Waits for another program that is writing as long as SQLite usually does, but not beyond `end`.
    private func begin(on writer: Connection, until end: ContinuousClock.Instant?) throws(StorageError) {
        let most = ConnectionSettings.busyMilliseconds
        let rest = end.map { ContinuousClock.now.duration(to: $0) }
        let isShort = rest.map { $0 < .milliseconds(Int64(most)) } ?? false
        if isShort, let rest { writer.setBusyTimeout(milliseconds: Int32(max(0, rest / .milliseconds(1)))) }
        defer { if isShort { writer.setBusyTimeout(milliseconds: most) } }
        try writer.run(.beginImmediate, "Beginning a write transaction")
    }

    /// Whether the live write transaction belongs to this thread.
    func isWriting(_ thread: ThreadIdentity) -> Bool { state.withLock { $0.writing == thread } }

    /// The durability of commits that begin now.
    var durability: Durability { state.withLock { $0.durability } }

    func raiseDurability() throws(StorageError) {
        try checkOpen()
        if options.readOnly { throw .readOnly }
        state.withLock { $0.durability = .full }
    }

    /// Called between transactions: inside one, SQLite does not change it.
    private func applyDurability(to writer: Connection) throws(StorageError) {
        guard state.withLock({ $0.writerDurability != $0.durability }) else { return }
        try writer.execute("PRAGMA synchronous = FULL")
        state.withLock { $0.writerDurability = .full }
    }

    /// Returns the writer connection without beginning a transaction.
    ///
    /// - Parameter patience: How long to wait for it; nil: as long as it takes.
    func takeIdleWriter(_ patience: Duration? = nil) throws(StorageError) -> Connection {
        try checkOpen()
        if options.readOnly { throw .readOnly }
        try writerGate.enter(patience: patience)
        let thread = ThreadIdentity.current
        let writer = state.withLock { state -> Connection?? in
            if isClosed { return nil }
            state.writing = thread
            state.transactions += 1
            if state.writer == nil { state.readers.connections += 1 }
            return .some(state.writer)
        }
        guard let writer else {
            writerGate.leave()
            throw .closed
        }
        if let writer { return writer }
        return try makeWriter()
    }

    /// Opens the writer connection for the thread that may write. It has already been counted.
    private func makeWriter() throws(StorageError) -> Connection {
        do {
            let writer = try settings.writer()
            state.withLock { $0.writer = writer }
            return writer
        } catch {
            state.withLock { state in
                state.writing = nil
                state.transactions -= 1
            }
            didClose(1)
            writerGate.leave()
            throw error
        }
    }

    func giveWriter(_ connection: Connection) {
        let isOver = state.withLock { state in
            state.writing = nil
            state.transactions -= 1
            guard isClosed else { return false }
            state.writer = nil
            return true
        }
        if isOver {
            connection.close()
            didClose(1)
        }
        writerGate.leave()
    }

    // MARK: Closing

    var openTransactions: Int { state.withLock { $0.transactions } }

    /// The last connection to the file, in this process or another, moves the log into the file and removes the log.
    /// SQLite does so while it has exclusive access to the file, so this needs no other lock.
    func close() {
        // Its connection is not among those that are counted.
        backgroundCheckpoint.close()
        let idle = state.withLock { state -> [Connection] in
            guard !closed.exchange(true, ordering: .acquiringAndReleasing) else { return [] }
            // The writer is closed last, because it may write.
            var idle = state.readers.close()
            if state.writing == nil, let writer = state.writer {
                state.writer = nil
                idle.append(writer)
            }
            return idle
        }
        writerGate.close()
        for connection in idle { connection.close() }
        didClose(idle.count)
    }

    func didClose(_ count: Int) {
        let isLast = state.withLock { state in
            let had = state.readers.connections > 0
            state.readers.connections -= count
            return had && state.readers.connections == 0 && isClosed
        }
        guard isLast else { return }
        if options.readOnly && !options.immutable && !hadLog { removeOwnLog() }
        OpenFiles.shared.leave(file)
    }

    /// Connections that only read make SQLite create an empty log and leave it behind. A connection that may write
    /// removes it when it is closed, if it has exclusive access to the file. If it cannot be removed, it does no harm.
    private func removeOwnLog() {
        guard FileFacts.size(path + "-wal") == 0, let connection = try? settings.plainWriter() else { return }
        // A connection only removes the log if it has read it.
        _ = try? connection.number("PRAGMA schema_version")
        connection.close()
    }
}
