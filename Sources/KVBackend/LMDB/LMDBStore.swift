internal import StorageProtocol

/// A store in an LMDB file: `data.mdb` in a folder, with the reader table `lock.mdb` beside it.
///
/// Stores of one file in one process share its environment, whatever paths were used.
final class LMDBStore: OrderedStore {
    let options: StorageOptions
    let environment: LMDBEnvironment
    private let lease: LMDBRegistry.Lease
    /// Whether a mark is set when damage is found.
    private let leavesMark: Bool
    /// Held if every commit must be synced, although the store was opened without that.
    private let syncingLease = Locked<LMDBRegistry.Lease?>(nil)

    /// Opens the store in `directory`. If the folder is empty and `options.create` is set, creates one, which is
    /// complete and synced.
    ///
    /// With `toleratesDamage` the store refuses writes and opens whenever LMDB itself can: snapshots check what they
    /// read.
    ///
    /// - Parameter mapSize: The bytes to reserve for the file at first; nil for as much as the system provides.
    /// - Throws: `notFound` (404) for an empty folder without `create`; `corrupt` and `unsupportedFormat` (591);
    ///   `readOnly` (403); `fileSystem` (498); `inUse` (423) if this process has the file open in an incompatible way.
    init(
        directory: String,
        options: StorageOptions,
        mapSize: Int? = nil
    ) throws(StorageError) {
        var options = options
        if options.immutable { options.readOnly = true }
        leavesMark = !options.readOnly
        if options.toleratesDamage { options.readOnly = true }
        self.options = options
        let registry = LMDBRegistry.current
        try registry.create(in: directory, options)
        let path = try LMDBFolder.dataFile(in: directory)
        lease = try registry.open(path, options, mapSize: mapSize)
        environment = lease.environment
        if !options.toleratesDamage { try walkIfInDoubt() }
    }

    deinit { close() }

    /// The bytes that are currently reserved for the file, as a copy may need.
    var mapSize: Int { environment.state.withLock { $0.mapSize } }

    func beginRead() throws(StorageError) -> LMDBTransaction {
        try environment.beginRead()
    }

    func beginWrite() throws(StorageError) -> LMDBTransaction {
        if options.readOnly { throw .readOnly }
        return try environment.beginWrite()
    }

    /// There is no log. Syncs what commits of `Durability.normal` have not synced yet.
    func checkpoint() throws(StorageError) {
        if options.readOnly { throw .readOnly }
        try environment.sync()
    }

    /// Sets the mark that makes the next open check the whole file.
    func suspect() {
        if leavesMark { environment.suspect() }
    }

    /// Syncs every commit from the next write transaction on, as long as this store is open.
    func raiseDurability() throws(StorageError) {
        if options.readOnly { throw .readOnly }
        guard options.durability != .full else { return }
        try syncingLease.withLock { (syncing) throws(StorageError) in
            guard syncing == nil else { return }
            var options = options
            options.durability = .full
            options.create = false
            syncing = try LMDBRegistry.current.open(environment.path, options, mapSize: nil)
        }
    }

    func close() {
        syncingLease.withLock { $0.take() }?.end()
        lease.end()
    }
}
