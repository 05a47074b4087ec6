internal import CSetteeLMDB
internal import SetteeSystemLibrary
internal import StorageEngineKit
internal import StorageProtocol

extension LMDBEnvironment {
    // MARK: Snapshots

    func beginRead() throws(StorageError) -> LMDBTransaction {
        try checkProcess()
        try requireWhole()
        let now = LMDBEnvironment.now
        var mayFollow = true
        var attempts = 0
        while true {
            let idle = try enter(now)
            var code: Int32
            var reader = idle
            if let idle {
                code = unsafe mdb_txn_renew(idle.handle)
            } else {
                (reader, code) = newReader()
            }
            if code == 0, let reader {
                if idle == nil { state.withLock { $0.add(reader, since: now) } }
                if try look(reader) { return LMDBTransaction(reading: self, reader) }
                attempts += 1
                guard attempts < DamageCheck.attempts else { throw DamageCheck.overtaken }
                continue
            }
            discard(idle)
            guard code == MDB_MAP_RESIZED && mayFollow else { throw readFailure(code) }
            mayFollow = false
            try follow()
        }
    }

    /// Reads the meta page of a snapshot that has begun. If other processes have committed twice since, ends the
    /// snapshot and returns false.
    private func look(_ reader: LMDBReader) throws(StorageError) -> Bool {
        do throws(StorageError) {
            let number = unsafe UInt64(mdb_txn_id(reader.handle))
            if try reader.pages.begin(number, larger: { (pages) throws(StorageError) in try map(holding: pages) }) {
                return true
            }
        } catch {
            end(reader)
            if error.code == .corrupt { suspect() }
            throw error
        }
        end(reader)
        return false
    }

    private func readFailure(_ code: Int32) -> StorageError {
        guard code == EACCES || code == EAGAIN else { return failure(code, "Beginning a read transaction") }
        return StorageError(
            .busy,
            "Another process with the same process ID, as in another container, reads this database. "
                + "Let processes that share a database share their process IDs too.",
            cause: LMDBFailure(code: code)
        )
    }

    /// Counts a new transaction, and gives it an idle reader slot.
    private func enter(_ now: UInt64) throws(StorageError) -> LMDBReader? {
        var hasWaited = false
        while true {
            let (isIn, idle) = try state.withLock { (state) throws(StorageError) -> (Bool, LMDBReader?) in
                try state.checkUsable()
                if state.isRemapping && !hasWaited { return (false, nil) }
                state.live += 1
                let idle = state.idle.popLast()
                idle?.since = now
                return (true, idle)
            }
            if isIn { return idle }
            awaitMap()
            hasWaited = true
        }
    }

    private func newReader() -> (LMDBReader?, Int32) {
        var handle: OpaquePointer?
        var code = unsafe mdb_txn_begin(self.handle, nil, UInt32(MDB_RDONLY), &handle)
        if code == MDB_READERS_FULL {
            clearStaleReaders()
            code = unsafe mdb_txn_begin(self.handle, nil, UInt32(MDB_RDONLY), &handle)
        }
        guard code == 0, let handle = unsafe handle else { return (nil, code) }
        return unsafe (LMDBReader(handle, state.withLock { $0.pages }), 0)
    }

    /// Releases a transaction that could not begin, and its reader slot if it has one.
    private func discard(_ reader: LMDBReader?) {
        state.withLock { state in
            state.live -= 1
            if let reader { state.drop(reader) }
        }
        if let reader { unsafe mdb_txn_abort(reader.handle) }
    }

    /// Ends a snapshot.
    func end(_ reader: LMDBReader) {
        unsafe mdb_txn_reset(reader.handle)
        let isKept = state.withLock { state in
            state.live -= 1
            reader.since = 0
            guard state.idle.count < LMDBEnvironment.idleReaders else {
                state.drop(reader)
                return false
            }
            state.idle.append(reader)
            return true
        }
        if !isKept { unsafe mdb_txn_abort(reader.handle) }
    }

    // MARK: Writing

    func beginWrite() throws(StorageError) -> LMDBTransaction {
        try checkProcess()
        guard access == .writable else { throw .readOnly }
        try gate.enter()
        do throws(StorageError) {
            try requireWhole()
            let handle = unsafe try takeWriter()
            unsafe try lookBeforeWriting(handle)
            return unsafe LMDBTransaction(writing: self, handle, writerPages, isFullySynced: setDurability())
        } catch {
            gate.leave()
            throw error
        }
    }

    /// Reads the meta page of the snapshot with which a write transaction begins. Ends the transaction if that fails.
    private func lookBeforeWriting(_ handle: OpaquePointer) throws(StorageError) {
        do throws(StorageError) {
            let number = unsafe UInt64(mdb_txn_id(handle)) - 1
            try writerPages.begin(
                number,
                path: path,
                larger: { (pages) throws(StorageError) in try map(holding: pages) }
            )
        } catch {
            unsafe mdb_txn_abort(handle)
            state.withLock { $0.live -= 1 }
            if error.code == .corrupt { suspect() }
            throw error
        }
    }

    private func takeWriter() throws(StorageError) -> OpaquePointer {
        let now = LMDBEnvironment.now
        if state.withLock({ $0.mustGrow }) { try grow() }
        let isCheckDue = try state.withLock { (state) throws(StorageError) -> Bool in
            try state.checkUsable()
            guard now &- state.lastReaderCheck > LMDBEnvironment.readerCheckInterval else { return false }
            state.lastReaderCheck = now
            return true
        }
        if isCheckDue { clearStaleReaders() }
        var mayFollow = true
        while true {
            try state.withLock { (state) throws(StorageError) in
                try state.checkUsable()
                state.live += 1
            }
            var transaction: OpaquePointer?
            let code = unsafe mdb_txn_begin(handle, nil, 0, &transaction)
            if code == 0, let transaction = unsafe transaction { return unsafe transaction }
            discard(nil)
            guard code == MDB_MAP_RESIZED && mayFollow else { throw failure(code, "Beginning a write transaction") }
            mayFollow = false
            try follow()
        }
    }

    /// Gives the coming commit the durability of the strictest of the open stores. Called in a write transaction,
    /// because LMDB reads the flag only in commits.
    ///
    /// - Returns: Whether the commit survives power loss.
    private func setDurability() -> Bool {
        let isFull = state.withLock { $0.fullStores > 0 }
        unsafe _ = mdb_env_set_flags(handle, UInt32(MDB_NOMETASYNC), isFull ? 0 : 1)
        return isFull
    }

    /// Ends the write transaction, whose handle LMDB has already released.
    func endWrite(isUnsynced: Bool) {
        state.withLock { state in
            state.live -= 1
            if isUnsynced { state.isUnsynced = true }
        }
        gate.leave()
    }

    // MARK: Readers of dead processes

    func clearStaleReaders() {
        guard access != .immutable else { return }
        var count: Int32 = 0
        unsafe _ = mdb_reader_check(handle, &count)
    }

    /// Nanoseconds of a monotonic clock: the cheapest one, exact to a few milliseconds.
    static var now: UInt64 {
        #if canImport(Darwin)
        return clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX)
        #else
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
        #endif
    }
}

extension LMDBEnvironment.State {
    func checkUsable() throws(StorageError) {
        if isClosed { throw StorageError(.notOpen, "The database is closed. Open it again.") }
        if isBroken { throw LMDBFailure(code: MDB_PANIC).error("Beginning a transaction") }
    }

    mutating func add(_ reader: LMDBReader, since: UInt64) {
        reader.since = since
        readers.append(reader)
    }

    mutating func drop(_ reader: LMDBReader) {
        guard let place = readers.firstIndex(where: { $0 === reader }) else { return }
        readers.swapAt(place, readers.count - 1)
        readers.removeLast()
    }
}
