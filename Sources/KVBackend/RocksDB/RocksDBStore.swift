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
    /// Nil once the store is closed.
    private let open: Locked<RocksDBHandles?>
    private let isSyncing: Atomic<Bool>
    private let transactionLimit: Int
    /// What was found in the log and is lost.
    let openingProblems: [StorageProblem]

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
        if options.immutable || options.toleratesDamage { options.readOnly = true }
        self.options = options
        try RocksDBLibrary.load()
        if try RocksDBFolder.isToBeCreated(in: directory, options) {
            try RocksDBStore.create(in: directory)
        } else if options.create, !options.readOnly {
            try RocksDBFolder.removeUnfinished(in: directory)
        }
        path = try LMDBFiles.realPath(directory) + "/" + RocksDBFolder.name
        self.transactionLimit = transactionLimit
        isSyncing = Atomic(options.durability == .full)
        if !options.readOnly, let handles = RocksDBLingering.take(path) {
            openingProblems = []
            open = Locked(handles)
        } else {
            openingProblems = try RocksDBStore.problems(ofLogsIn: path, options)
            open = Locked(try RocksDBHandles(path, isNew: false, readOnly: options.readOnly, memory: memory))
        }
    }

    deinit { close() }

    /// Walks the logs.
    ///
    /// - Throws: `corrupt` (591) if something was committed behind the damage, unless damage is tolerated: RocksDB then
    ///   reads what is before it.
    private static func problems(
        ofLogsIn path: String,
        _ options: StorageOptions
    ) throws(StorageError) -> [StorageProblem] {
        do throws(StorageError) {
            return try RocksDBLogs(in: path).problem.map { [$0] } ?? []
        } catch {
            guard options.toleratesDamage, error.code == .corrupt else { throw error }
            return [StorageProblem(area: "log", message: error.message)]
        }
    }

    /// Makes an empty database. It gets its name when it is complete.
    private static func create(in directory: String) throws(StorageError) {
        try RocksDBFolder.removeUnfinished(in: directory)
        let path = directory + "/" + RocksDBFolder.newName
        do throws(StorageError) {
            _ = try RocksDBHandles(path, isNew: true, readOnly: false, memory: 1 << 20)
            try LMDBFiles.rename(path, to: directory + "/" + RocksDBFolder.name)
            try LMDBFiles.syncDirectory(directory)
        } catch {
            try? RocksDBFolder.removeUnfinished(in: directory)
            throw error
        }
    }

    /// Returns the open database.
    @inline(__always)
    func handles() throws(StorageError) -> RocksDBHandles {
        guard let handles = open.withLock({ $0 }) else { throw .closed }
        if handles.isInherited { throw .inherited }
        return handles
    }

    func beginRead() throws(StorageError) -> RocksDBTransaction {
        RocksDBTransaction(reading: try handles())
    }

    func beginWrite() throws(StorageError) -> RocksDBTransaction {
        if options.readOnly { throw .readOnly }
        return RocksDBTransaction(writing: try handles(), isSynced: isSynced, limit: transactionLimit)
    }

    /// Syncs the log, then writes what it has to table files. The log has nothing that is needed then.
    func checkpoint() throws(StorageError) {
        if options.readOnly { throw .readOnly }
        let handles = try handles()
        var failure: UnsafeMutablePointer<CChar>?
        unsafe rocks_flush_wal(handles.db, 1, &failure)
        try unsafe failure.check("Syncing the log")
        try flush()
    }

    /// Writes what is in memory to table files, and waits.
    func flush() throws(StorageError) {
        let handles = try handles()
        let options = unsafe rocks_flushoptions_create()
        defer { unsafe rocks_flushoptions_destroy(options) }
        unsafe rocks_flushoptions_set_wait(options, 1)
        for table in Table.allCases {
            var failure: UnsafeMutablePointer<CChar>?
            unsafe rocks_flush_cf(handles.db, options, handles.family(table), &failure)
            try unsafe failure.check("Writing the table '\(table.name)' to its files")
        }
    }

    /// Syncs every commit from the next write transaction on.
    func raiseDurability() throws(StorageError) {
        if options.readOnly { throw .readOnly }
        if isSyncing.exchange(true, ordering: .relaxed) { return }
        var failure: UnsafeMutablePointer<CChar>?
        unsafe rocks_flush_wal(try handles().db, 1, &failure)
        try unsafe failure.check("Syncing the log")
    }

    var isSynced: Bool { isSyncing.load(ordering: .relaxed) }

    func linger() {
        if options.readOnly { return }
        open.withLock { handles in
            if let handles { RocksDBLingering.keep(handles) }
        }
    }

    func close() {
        // Freed, and so closed, outside of the lock.
        let handles = open.withLock { handles in
            if let handles, !options.readOnly { RocksDBLingering.forget(handles) }
            return handles.take()
        }
        withExtendedLifetime(handles) {}
    }
}
#endif
