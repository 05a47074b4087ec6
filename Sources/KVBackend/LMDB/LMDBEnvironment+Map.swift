internal import CSetteeLMDB
internal import SetteeSystemLibrary
internal import StorageProtocol

extension LMDBEnvironment {
    /// How long a change of the map waits for the transactions of this process, and new ones for the change, in steps
    /// of a millisecond.
    private static let patience = 1000

    /// Doubles the map, once a transaction has met its end.
    ///
    /// - Throws: `full` (507) where a transaction of this process stays open for longer than a second.
    func grow() throws(StorageError) {
        try whenQuiet(else: fullWhileInUse) { (state) throws(StorageError) in
            // Another thread has done it.
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

    /// Makes the map as large as the file, which another process has made larger.
    ///
    /// - Throws: `busy` (595) where a transaction of this process stays open for longer than a second.
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
            // Another thread has done it.
            if size > state.mapSize { try remap(&state, size) }
        }
    }

    /// A map for snapshots with room for so many pages. Those that have the one before keep it.
    func map(holding pages: UInt64) throws(StorageError) -> PageMap {
        try state.withLock { (state) throws(StorageError) in
            if state.pages.capacity < pages { state.pages = try state.pages.larger(pages) }
            return state.pages
        }
    }

    /// Runs `body` once no transaction of this process lives; new snapshots are held back for it.
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

    /// Holds a new snapshot back while the map is to be changed, for as long as that may take at most: the thread may
    /// have another one, for which the change waits.
    func awaitMap() {
        for _ in 0..<LMDBEnvironment.patience {
            guard state.withLock({ $0.isRemapping }) else { return }
            usleep(1000)
        }
    }

    /// Reserves `size` bytes in the place of what was reserved. No transaction lives.
    private func remap(_ state: inout State, _ size: Int) throws(StorageError) {
        // LMDB gives the old map up first and cannot have it back: whether there is room is found out before.
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
