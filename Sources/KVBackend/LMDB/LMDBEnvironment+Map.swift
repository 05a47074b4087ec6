internal import CSetteeLMDB
internal import SetteeSystemLibrary
internal import StorageProtocol

extension LMDBEnvironment {
    /// How long a change of the map waits for this process's transactions, and new transactions wait for the change, in
    /// steps of a millisecond.
    private static let patience = 1000

    /// Doubles the map, once a transaction has reached its end.
    ///
    /// - Throws: `full` (507) if a transaction of this process stays open for longer than a second.
    func grow() throws(StorageError) {
        try whenQuiet(else: fullWhileInUse) { (state) throws(StorageError) in
            // Another thread has already done it.
            guard state.mustGrow else { return }
            let (size, overflow) = state.mapSize.multipliedReportingOverflow(by: 2)
            guard !overflow else { throw LMDBFailure(code: MDB_MAP_FULL).error("Reserving room") }
            try remap(&state, size)
            state.mustGrow = false
        }
    }

    private var fullWhileInUse: StorageError {
        StorageError(
            .full,
            "The room reserved for the file is used up, and can grow only while no other transaction is open. "
                + "End the read transactions and try again."
        )
    }

    /// Makes the map as large as the file, after another process has enlarged it.
    ///
    /// - Throws: `busy` (595) if a transaction of this process stays open for longer than a second.
    func follow() throws(StorageError) {
        let busy = LMDBFailure(code: MDB_MAP_RESIZED).error("Beginning a transaction")
        try whenQuiet(else: busy) { (state) throws(StorageError) in
            var info = unsafe MDB_envinfo()
            unsafe mdb_env_info(handle, &info)
            let needed = (unsafe UInt64(info.me_last_pgno) &+ 1).multipliedReportingOverflow(by: UInt64(pageSize))
            guard !needed.overflow, let bytes = Int(exactly: needed.partialValue) else {
                throw LMDBFailure(code: MDB_CORRUPTED).error("Reserving room")
            }
            var size = state.mapSize
            while size < bytes {
                guard size <= Int.max / 2 else { throw LMDBFailure(code: MDB_CORRUPTED).error("Reserving room") }
                size *= 2
            }
            // Another thread has already done it.
            if size > state.mapSize { try remap(&state, size) }
        }
    }

    /// Returns a map for snapshots with room for this many pages. Those that use the previous map keep it.
    func map(holding pages: UInt64) throws(StorageError) -> PageMap {
        try state.withLock { (state) throws(StorageError) in
            if state.pages.capacity < pages { state.pages = try state.pages.larger(pages) }
            return state.pages
        }
    }

    /// Runs `body` once this process has no live transactions. New snapshots wait during that time.
    private func whenQuiet(
        else failure: @autoclosure () -> StorageError,
        _ body: (inout State) throws(StorageError) -> Void
    ) throws(StorageError) {
        defer { state.withLock { $0.isRemapping = false } }
        for _ in 0..<LMDBEnvironment.patience {
            let isDone = try state.withLock { (state) throws(StorageError) in
                try state.checkUsable()
                guard state.live == 0 else {
                    state.isRemapping = true
                    return false
                }
                try body(&state)
                return true
            }
            if isDone { return }
            usleep(1000)
        }
        throw failure()
    }

    /// Delays a new snapshot while the map is to be changed, but no longer than the change may take: the change may be
    /// waiting for another snapshot of the same thread.
    func awaitMap() {
        for _ in 0..<LMDBEnvironment.patience {
            guard state.withLock({ $0.isRemapping }) else { return }
            usleep(1000)
        }
    }

    /// Reserves `size` bytes instead of those reserved so far. There must be no live transactions.
    private func remap(_ state: inout State, _ size: Int) throws(StorageError) {
        // LMDB releases the old map first and cannot get it back, so check beforehand whether there is room.
        guard LMDBMapRoom.isThere(size) else {
            throw StorageError(
                .full,
                "The room reserved for the file is used up, and the system gives the process no more address space. "
                    + "Raise the limit (ulimit -v), or close other databases, and open the database again.",
                cause: LMDBFailure(code: ENOMEM)
            )
        }
        let code = unsafe mdb_env_set_mapsize(handle, size)
        guard code == 0 else {
            state.isBroken = true
            throw LMDBFailure(code: code).error("Reserving room")
        }
        state.mapSize = size
    }
}
