internal import CSetteeLMDB
internal import SetteeSystemLibrary
internal import StorageEngineKit
internal import StorageProtocol
internal import Synchronization

/// An open LMDB file. All stores of the file in this process share it.
@safe
final class LMDBEnvironment: @unchecked Sendable {
    // Sendable because LMDB's environment may be used by any thread, and everything else is constant or under a lock.
    let identity: StoreFileIdentity
    /// The data file, without symbolic links.
    let path: String
    let access: Access
    /// The handles of the tables, in the order of `Table`.
    let tables: UnsafeMutablePointer<MDB_dbi>
    let pageSize: Int

    let handle: OpaquePointer
    /// Lets one thread of the process write at a time, whichever store it uses.
    let gate = WriterGate()
    /// The trees at the beginning of the current write transaction. Used by the thread that holds the gate.
    let writerPages: WriterPages
    let state: Locked<State>
    /// The bytes of the file when it was last looked at.
    let fileBytes = Atomic<UInt64>(0)
    /// The logs that receive what is written.
    let followers = Locked<[any CommitObserver]>([])

    /// The address of `ForkCount`'s count, and its value when this was created.
    private let forkCount: UnsafePointer<Int>
    private let fork: Int

    /// How the file is open.
    enum Access {
        case writable
        /// With locks, but the file itself cannot be written.
        case readOnly
        /// Without locks.
        case immutable
    }

    struct State {
        /// The map of the file for snapshots.
        var pages: PageMap
        /// Bytes reserved for the file in LMDB's map.
        var mapSize: Int
        /// Whether a transaction has reached the end of the map.
        var mustGrow = false
        /// Whether new snapshots wait, so that the map can be changed.
        var isRemapping = false
        /// The number of live transactions in this process.
        var live = 0
        /// The reader slots, in use or not.
        var readers: [LMDBReader] = []
        var idle: [LMDBReader] = []
        /// The numbers of open stores that sync each commit completely, and of those that do not.
        var fullStores = 0
        var normalStores = 0
        /// Whether the last commit has left its meta page for the system to write.
        var isUnsynced = false
        var isClosed = false
        /// The disk failed, or the map was lost: no more transactions may begin.
        var isBroken = false
        /// Whether the mark for the next open has been set.
        var isSuspect = false
        /// When readers of dead processes were last looked for.
        var lastReaderCheck: UInt64 = 0
    }

    /// The number of slots in the reader table: as many as make `lock.mdb` 64 KiB.
    static let maximumReaders = 1022
    /// How many idle slots are kept at most.
    static let idleReaders = 32
    /// How often the writer looks for readers of dead processes, in nanoseconds.
    static let readerCheckInterval: UInt64 = 1_000_000_000

    init(
        _ path: String,
        _ identity: StoreFileIdentity,
        _ options: StorageOptions,
        mapSize: Int?
    ) throws(StorageError) {
        unsafe forkCount = ForkCount.pointer
        unsafe fork = forkCount.pointee
        self.path = path
        self.identity = identity
        let opened = try LMDBOpening(path: path, identity: identity, options: options, mapSize: mapSize).run()
        unsafe handle = opened.handle
        unsafe tables = opened.tables
        access = opened.access
        pageSize = opened.pageSize
        writerPages = WriterPages(opened.pages)
        state = Locked(State(pages: opened.pages, mapSize: opened.mapSize))
        try requireWhole()
    }

    // MARK: Stores

    /// Whether this environment belongs to a parent process: LMDB's locks and its map do not survive a fork.
    var isInherited: Bool { unsafe forkCount.pointee != fork }

    @inline(__always)
    func checkProcess() throws(StorageError) {
        if isInherited { throw .inherited }
    }

    func checkFits(_ options: StorageOptions) throws(StorageError) {
        if state.withLock({ $0.isBroken }) { throw LMDBFailure(code: MDB_PANIC).error("Opening the file") }
        switch access {
        case .writable: return
        case .readOnly where options.readOnly: return
        case .immutable where options.immutable: return
        case .readOnly:
            throw StorageError(
                .readOnly,
                "This process has the file '\(path)' open read-only, since it could not be written. Close that "
                    + "database first, "
                    + "and grant write permission."
            )
        case .immutable:
            throw StorageError(
                .inUse,
                "This process has the file '\(path)' open as immutable, without locks. Close that database first."
            )
        }
    }

    func addStore(_ options: StorageOptions) {
        if options.readOnly { return }
        state.withLock { state in
            if options.durability == .full { state.fullStores += 1 } else { state.normalStores += 1 }
        }
    }

    func removeStore(_ options: StorageOptions) {
        if options.readOnly { return }
        state.withLock { state in
            if options.durability == .full { state.fullStores -= 1 } else { state.normalStores -= 1 }
        }
    }

    /// Closes the file. Returns false without doing anything if there is a live transaction.
    func close() -> Bool {
        if state.withLock({ $0.isUnsynced && !$0.isBroken }) { try? sync() }
        let idle = state.withLock { state -> [LMDBReader]? in
            guard state.live == 0 else { return nil }
            state.isClosed = true
            let readers = state.readers
            state.readers = []
            state.idle = []
            return readers
        }
        guard let idle else { return false }
        for reader in idle { unsafe mdb_txn_abort(reader.handle) }
        unsafe mdb_env_close(handle)
        unsafe tables.deallocate()
        return true
    }

    /// Syncs what commits have left for the system to write.
    func sync() throws(StorageError) {
        try checkProcess()
        try state.withLock { (state) throws(StorageError) in
            try state.checkUsable()
            // Before the sync, so that a commit in between counts.
            state.isUnsynced = false
        }
        var code = unsafe mdb_env_sync(handle, 1)
        while code == EINTR { unsafe code = mdb_env_sync(handle, 1) }
        guard code != 0 else { return }
        state.withLock { $0.isUnsynced = true }
        throw failure(LMDBFailure(code: code, leavesDoubt: true), "Syncing the file")
    }

    // MARK: Failures

    /// Returns the error for one of LMDB's codes. Sets the mark for the next open if the file may be damaged.
    func failure(_ code: Int32, _ doing: String) -> StorageError {
        var failure = LMDBFailure(code: code)
        // LMDB reports an I/O error if the system accepted only a part of what it wrote, as a disk does that has just
        // become full.
        if code == EIO && StoreFiles.isFull(path) { failure.code = ENOSPC }
        return self.failure(failure, doing)
    }

    /// Returns the error for the commit of this transaction, which LMDB refused with this code. No other thread or
    /// process has begun to write yet.
    func commitFailure(_ code: Int32, of transaction: UInt64) -> StorageError {
        // Normally a full disk refuses the pages and nothing else happens. But LMDB returns the same code if the disk
        // accepted the pages and failed to keep them. Then either the disk still accepts others, or the refused page is
        // the meta page, after which LMDB refuses everything.
        let isOfSync = (code == ENOSPC || code == EDQUOT) && !StoreFiles.isFull(path)
        let isOfMetaPage = hasPanicked
        if isOfMetaPage {
            SuspectMark.set(in: folder, acknowledged: transaction &- 1)
            FailedMetaPage.settle(path: path, failed: transaction)
        }
        if isOfSync || isOfMetaPage { return failure(LMDBFailure(code: code, leavesDoubt: true), "Committing") }
        return failure(code, "Committing")
    }

    private func failure(_ failure: LMDBFailure, _ doing: String) -> StorageError {
        if failure.code == MDB_MAP_FULL {
            // A process that died may have prevented pages from being reused.
            clearStaleReaders()
            state.withLock { $0.mustGrow = true }
        }
        if failure.endsStore { state.withLock { $0.isBroken = true } }
        if failure.isSuspicious { suspect() }
        return failure.error(doing)
    }

    /// Whether LMDB refuses to begin anything more because it could not write a meta page.
    private var hasPanicked: Bool {
        var snapshot: OpaquePointer?
        let code = unsafe mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &snapshot)
        if let snapshot = unsafe snapshot { unsafe mdb_txn_abort(snapshot) }
        return code == MDB_PANIC
    }

    /// Sets the mark for the next open, which then checks all pages.
    func suspect() {
        let isNew = state.withLock { state in
            defer { state.isSuspect = true }
            return !state.isSuspect
        }
        if isNew && access != .immutable { SuspectMark.set(in: folder) }
    }

    /// Called if the write transaction was released by a thread other than the one that began it. LMDB's lock belongs
    /// to that other thread and can never be taken again. No more transactions may begin, so that none waits forever.
    func strandWrite() {
        state.withLock { $0.isBroken = true }
        gate.leave()
    }

    var folder: String { LMDBFolder.folder(of: path) }
}
