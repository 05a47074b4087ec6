#if RocksDB
internal import CSetteeRocksDB
internal import StorageProtocol
internal import Synchronization

/// A store in a RocksDB database, with a column family for each table.
///
/// Nobody else uses the files: RocksDB locks them for the process, and a process opens them once.
final class RocksDBStore: OrderedStore, @unchecked Sendable {
    // Sendable because the handles are under a lock, and the rest never changes or is atomic.
    let options: StorageOptions
    /// The folder of RocksDB's files.
    let path: String
    private let state: Locked<State>
    private let memory: Int
    private let isSyncing: Atomic<Bool>
    private let transactionLimit: Int
    /// What was found in the log and is lost.
    let openingProblems: [StorageProblem]
    private let background = RocksDBBackground()

    private struct State {
        /// Nil once the store is closed, and if it could not be opened again.
        var handles: RocksDBHandles?
        /// Why the database is open for reading only, although the store is not.
        var full: StorageError?
        var isClosed = false

        /// Why no more can be written.
        var failure: StorageError? { handles.flatMap { $0.failure ?? full } }
        var isWritable: Bool { handles != nil && failure == nil }
    }

    /// The default of `memory`.
    static let usualMemory = 128 << 20
    /// The default of `transactionLimit`.
    static let usualTransactionLimit = 256 << 20

    /// Opens the store in `directory`. If the folder is empty and `options.create` is set, creates one, which is
    /// complete and synced.
    ///
    /// - Parameters:
    ///   - memory: about how many bytes it keeps in memory.
    ///   - transactionLimit: how many bytes a transaction may write. They are in memory, and once more when it commits.
    /// - Throws: `notImplemented` (501) without the library; `notFound` (404) for an empty folder without `create`;
    ///   `corrupt` and `unsupportedFormat` (591); `readOnly` (403); `fileSystem` (498); `inUse` (423) if the files are
    ///   open elsewhere.
    init(
        directory: String,
        options: StorageOptions,
        memory: Int = RocksDBStore.usualMemory,
        transactionLimit: Int = RocksDBStore.usualTransactionLimit
    ) throws(StorageError) {
        var options = options
        if options.immutable || options.toleratesDamage || options.besideWriter { options.readOnly = true }
        self.options = options
        try RocksDBHandles.requireMemory(memory)
        try RocksDBLibrary.load()
        if try RocksDBFolder.isToBeCreated(in: directory, options) {
            try RocksDBStore.create(in: directory)
        } else if options.create, !options.readOnly {
            try RocksDBFolder.removeUnfinished(in: directory)
        }
        path = try StoreFiles.realPath(directory) + "/" + RocksDBFolder.name
        self.transactionLimit = transactionLimit
        self.memory = memory
        isSyncing = Atomic(options.durability == .full)
        if !options.readOnly, let handles = RocksDBLingering.take(path) {
            openingProblems = []
            state = Locked(State(handles: handles))
        } else {
            // What another process writes now, nobody else can judge.
            openingProblems = options.besideWriter ? [] : try RocksDBStore.problems(ofLogsIn: path, options)
            state = Locked(State(handles: try RocksDBStore.open(path, options, memory: memory)))
        }
    }

    deinit { close() }

    /// Returns the open database, for reads.
    @inline(__always)
    func handles() throws(StorageError) -> RocksDBHandles {
        guard let handles = state.withLock({ $0.handles }) else { return try openAgain(toWrite: false) }
        if handles.isInherited { throw .inherited }
        return handles
    }

    /// Returns the database for a write. After a failed one it is opened again.
    private func writableHandles() throws(StorageError) -> RocksDBHandles {
        if options.readOnly { throw .readOnly }
        return state.withLock({ $0.isWritable }) ? try handles() : try openAgain(toWrite: true)
    }

    /// Closes the database if it is open and cannot be used, and opens it. On a full disk it is opened for reading only
    /// until the next write.
    ///
    /// - Throws: the failure of the earlier write as long as there are transactions.
    private func openAgain(toWrite: Bool) throws(StorageError) -> RocksDBHandles {
        try state.withLock { (state) throws(StorageError) in
            if state.isClosed { throw .closed }
            // Another thread was here before.
            if let handles = state.handles, toWrite ? state.isWritable : handles.failure == nil { return handles }
            if let failure = state.failure, !isKnownUniquelyReferenced(&state.handles) { throw failure }
            // Closed before it is opened.
            if let handles = state.handles.take() { background.willClose(handles) }
            do throws(StorageError) {
                let handles = try RocksDBStore.open(path, options, memory: memory)
                (state.handles, state.full) = (handles, nil)
                return handles
            } catch {
                if toWrite || error.code != .full { throw error }
                let handles = try RocksDBHandles(path, .reading, memory: memory)
                (state.handles, state.full) = (handles, error)
                return handles
            }
        }
    }

    func beginRead() throws(StorageError) -> RocksDBTransaction {
        RocksDBTransaction(reading: try handles())
    }

    func beginWrite() throws(StorageError) -> RocksDBTransaction {
        RocksDBTransaction(writing: try writableHandles(), isSynced: isSynced, limit: transactionLimit)
    }

    /// Syncs the log. If it has much, writes that to table files, so that the next opening need not: many small files
    /// would be worse.
    func checkpoint() throws(StorageError) {
        let handles = try writableHandles()
        background.lookAgain()
        var failure: UnsafeMutablePointer<CChar>?
        unsafe rocks_flush_wal(handles.db, 1, &failure)
        try unsafe handles.check(failure, "Syncing the log")
        if handles.sum("rocksdb.cur-size-all-mem-tables") > RocksDBStore.muchInLog { try flush(handles) }
    }

    /// What RocksDB's threads have failed to do, if it is more than at the last call.
    func takeBackgroundProblem() -> StorageProblem? { background.takeProblem(openHandles) }

    var backgroundProblem: StorageProblem? { background.problem(openHandles) }

    private var openHandles: RocksDBHandles? { state.withLock { $0.handles } }

    /// About how many bytes a checkpoint leaves in the log.
    private static let muchInLog: UInt64 = 4 << 20

    /// Writes what is in memory to table files, and waits.
    func flush() throws(StorageError) { try flush(try writableHandles()) }

    private func flush(_ handles: RocksDBHandles) throws(StorageError) {
        let options = unsafe rocks_flushoptions_create()
        defer { unsafe rocks_flushoptions_destroy(options) }
        unsafe rocks_flushoptions_set_wait(options, 1)
        for table in Table.allCases {
            var failure: UnsafeMutablePointer<CChar>?
            unsafe rocks_flush_cf(handles.db, options, handles.family(table), &failure)
            try unsafe handles.check(failure, "Writing the table '\(table.name)' to its files")
        }
    }

    /// Syncs every commit from the next write transaction on.
    func raiseDurability() throws(StorageError) {
        let handles = try writableHandles()
        if isSyncing.exchange(true, ordering: .relaxed) { return }
        var failure: UnsafeMutablePointer<CChar>?
        unsafe rocks_flush_wal(handles.db, 1, &failure)
        try unsafe handles.check(failure, "Syncing the log")
    }

    var isSynced: Bool { isSyncing.load(ordering: .relaxed) }

    func linger() {
        if options.readOnly { return }
        state.withLock { state in
            if let handles = state.handles, state.isWritable { RocksDBLingering.keep(handles) }
        }
    }

    func close() {
        // Freed, and so closed, outside of the lock.
        let handles = state.withLock { state in
            state.isClosed = true
            if let handles = state.handles, !options.readOnly { RocksDBLingering.forget(handles) }
            return state.handles.take()
        }
        withExtendedLifetime(handles) {}
    }
}

/// librocksdb, found at run time: other engines do not need it.
private enum RocksDBLibrary {
    /// Loads the library with the first call.
    ///
    /// - Throws: `notImplemented` (501) if there is none that can be used.
    static func load() throws(StorageError) {
        switch rocks_load() {
        case rocks_loaded: return
        case rocks_library_missing:
            throw StorageError(
                .notImplemented,
                "Databases of type 'rocksdb' need RocksDB, which is not installed. Install the package librocksdb7.8 "
                    + "(Debian, Ubuntu: it comes with librocksdb-dev; elsewhere it is called rocksdb)."
            )
        default:
            throw StorageError(
                .notImplemented,
                "The library librocksdb that is installed lacks functions of RocksDB 7.8. Install the package "
                    + "librocksdb7.8."
            )
        }
    }
}

/// Databases whose engines are closed while transactions have not ended. RocksDB opens a folder once in a process, so
/// the next opening takes the database over. The old transactions do not use it any more.
private enum RocksDBLingering {
    private static let databases = Locked<[String: RocksDBHandles]>([:])

    static func keep(_ handles: RocksDBHandles) { databases.withLock { $0[handles.path] = handles } }

    /// Returns the database in a folder and does not keep it any longer.
    static func take(_ path: String) -> RocksDBHandles? {
        guard let handles = databases.withLock({ $0.removeValue(forKey: path) }) else { return nil }
        return handles.isInherited ? nil : handles
    }

    /// The last transaction of its engine has ended.
    static func forget(_ handles: RocksDBHandles) {
        databases.withLock { databases in
            if databases[handles.path] === handles { databases[handles.path] = nil }
        }
    }
}
#endif
