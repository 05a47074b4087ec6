internal import StorageProtocol
internal import Synchronization

/// The environments that this process has open, one for each file: closing a second one for the same file would break
/// the locks of the first.
final class LMDBRegistry: Sendable {
    /// One file.
    fileprivate final class Entry: Sendable {
        struct State {
            var environment: LMDBEnvironment?
            /// Whether the quick check has found the file sound, and not just good enough for snapshots.
            var isChecked = false
            var stores = 0
            /// Leases whose stores have ended while there was a live transaction.
            var outlived = 0
        }
        let state = Locked(State())
    }

    /// An entry, with the number of its current and coming users.
    private struct Counted {
        var entry = Entry()
        var users = 0
        /// The file's reader table, once it is known.
        var lock: StoreFileIdentity?
    }

    /// Lets one thread at a time create the store of a folder.
    private final class Creation: Sendable { let lock = Locked(()) }

    private let fork: Int
    private let creations = Locked<[StoreFileIdentity: (creation: Creation, users: Int)]>([:])
    private let entries = Locked<[StoreFileIdentity: Counted]>([:])

    private init(fork: Int) { self.fork = fork }

    private static let place = unsafe Atomic<Unmanaged<LMDBRegistry>?>(nil)

    /// This process's registry. A child of fork has a new one, because in the inherited one a lock may be held by a
    /// thread that no longer exists. The old one is never freed.
    static var current: LMDBRegistry {
        let fork = unsafe ForkCount.pointer.pointee
        while true {
            let present = unsafe place.load(ordering: .acquiring)
            if let registry = unsafe present?.takeUnretainedValue(), registry.fork == fork { return registry }
            let new = unsafe Unmanaged.passRetained(LMDBRegistry(fork: fork))
            let exchange = unsafe place.compareExchange(
                expected: present,
                desired: new,
                ordering: .acquiringAndReleasing
            )
            if unsafe !exchange.exchanged { unsafe new.release() }
        }
    }

    /// A store's share in an environment.
    final class Lease: Sendable {
        let environment: LMDBEnvironment
        private let options: StorageOptions
        private let registry: LMDBRegistry
        private let entry: Entry
        private let ended = Atomic<Bool>(false)

        fileprivate init(
            _ environment: LMDBEnvironment,
            _ options: StorageOptions,
            _ registry: LMDBRegistry,
            _ entry: Entry
        ) {
            self.environment = environment
            self.options = options
            self.registry = registry
            self.entry = entry
        }

        /// Closes the environment with the last lease. Does nothing in a child of fork.
        func end() {
            guard !environment.isInherited, !ended.exchange(true, ordering: .acquiringAndReleasing) else { return }
            let leaving = entry.state.withLock { state in
                environment.removeStore(options)
                state.stores -= 1
                guard state.stores == 0 else { return 1 }
                // The engine does not let this happen while there is a live transaction. If it does, the environment
                // waits for the next store.
                guard environment.close() else {
                    state.outlived += 1
                    return 0
                }
                state.environment = nil
                state.isChecked = false
                registry.entries.withLock { $0[environment.identity]?.lock = nil }
                defer { state.outlived = 0 }
                return 1 + state.outlived
            }
            registry.leave(environment.identity, leaving)
        }
    }

    /// Creates the store in a folder, if the options require it.
    func create(in directory: String, _ options: StorageOptions) throws(StorageError) {
        guard let folder = try StoreFiles.facts(StoreFiles.realPath(directory))?.identity else {
            throw StoreFiles.failure("find", directory)
        }
        let creation = creations.withLock { creations in
            creations[folder, default: (Creation(), 0)].users += 1
            return creations[folder, default: (Creation(), 0)].creation
        }
        defer {
            creations.withLock { creations in
                creations[folder]?.users -= 1
                if creations[folder]?.users == 0 { creations[folder] = nil }
            }
        }
        try creation.lock.withLock { (_) throws(StorageError) in
            let isNew = try LMDBFolder.isToBeCreated(directory, options)
            guard isNew else { return try options.requireNoneToBeBuilt() }
            try LMDBEnvironment.create(in: directory)
        }
    }

    /// Opens the file, unless this process has already done so, and shares it.
    func open(_ path: String, _ options: StorageOptions, mapSize: Int?) throws(StorageError) -> Lease {
        guard let facts = try StoreFiles.facts(path) else { throw StoreFiles.failure("open", path) }
        guard facts.isRegular else { throw LMDBFolder.noFile(path) }
        let entry = entries.withLock { entries in
            entries[facts.identity, default: Counted()].users += 1
            return entries[facts.identity, default: Counted()].entry
        }
        do throws(StorageError) {
            return try entry.state.withLock { (state) throws(StorageError) -> Lease in
                let isLockFree = try isLockFree(path, facts.identity, reserves: !options.immutable)
                if !state.isChecked {
                    try QuickCheck.run(
                        path,
                        toleratingDamage: options.toleratesDamage,
                        usesReaders: isLockFree && state.environment == nil,
                        isSound: &state.isChecked
                    )
                }
                let environment: LMDBEnvironment
                if let present = state.environment {
                    environment = present
                } else {
                    if !isLockFree && !options.immutable { throw Self.replaced(path) }
                    environment = try begin(path, facts.identity, options, mapSize)
                }
                try environment.checkFits(options)
                state.environment = environment
                state.stores += 1
                environment.addStore(options)
                return Lease(environment, options, self, entry)
            }
        } catch {
            leave(facts.identity, 1)
            throw error
        }
    }

    private func begin(
        _ path: String,
        _ file: StoreFileIdentity,
        _ options: StorageOptions,
        _ mapSize: Int?
    ) throws(StorageError) -> LMDBEnvironment {
        if options.immutable { return try LMDBEnvironment(path, file, options, mapSize: mapSize) }
        let lock = LMDBFolder.folder(of: path) + "/" + LMDBFolder.lockName
        let environment = try LMDBEnvironment(path, file, options, mapSize: mapSize)
        let identity = try StoreFiles.facts(lock)?.identity
        entries.withLock { $0[file]?.lock = identity }
        return environment
    }

    /// Whether no environment of another file uses this reader table: closing any descriptor of it would drop the locks
    /// that the other one has on it.
    ///
    /// - Parameter reserves: Whether the table belongs to this file from then on, so that no other thread finds it
    ///   free.
    private func isLockFree(
        _ path: String,
        _ file: StoreFileIdentity,
        reserves: Bool
    ) throws(StorageError) -> Bool {
        let lock = LMDBFolder.folder(of: path) + "/" + LMDBFolder.lockName
        guard let present = try StoreFiles.facts(lock)?.identity else { return true }
        return entries.withLock { entries in
            guard !entries.contains(where: { $0.key != file && $0.value.lock == present }) else { return false }
            if reserves { entries[file]?.lock = present }
            return true
        }
    }

    private static func replaced(_ path: String) -> StorageError {
        StorageError(
            .inUse,
            "The file '\(path)' was put in the place of one that this process has open. Close that database first."
        )
    }

    private func leave(_ file: StoreFileIdentity, _ count: Int) {
        entries.withLock { entries in
            guard var counted = entries[file] else { return }
            counted.users -= count
            entries[file] = counted.users > 0 ? counted : nil
        }
    }
}
