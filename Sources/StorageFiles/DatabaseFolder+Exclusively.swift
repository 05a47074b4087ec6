package import StorageProtocol

/// With `gate` and `lock` held exclusively, the folder is not open anywhere else, and cannot be opened.
extension DatabaseFolder {
    /// Keeps other processes out during a long operation that ends with a switch, until then or until `letOthersIn`. A
    /// process that opens the folder during this time waits, and then fails with 423.
    ///
    /// - Parameter timeout: How long to wait for processes that are just opening the folder.
    /// - Throws: `inUse` (423) naming the processes that have it open, `readOnly` (403).
    package func keepOthersAway(timeout: Duration = DatabaseFolder.defaultTimeout) throws(StorageError) {
        let (gate, lock) = try requireSwitchable()
        do throws(StorageError) {
            try takeExclusively(gate, lock, timeout: timeout)
        } catch {
            gate.release()
            throw error
        }
    }

    /// Ends what `keepOthersAway` began. Does nothing after a switch, which has already ended it.
    package func letOthersIn() {
        let locks = locks
        guard let gate = locks.gate, let lock = locks.lock else { return }
        // A failure is recorded: the folder is unusable then.
        try? retake(lock)
        gate.release()
    }

    /// Checks the requirements of a switch.
    @discardableResult
    func requireSwitchable() throws(StorageError) -> (gate: LockFile, lock: LockFile) {
        let refusal: StorageError? = state.withLock { $0.isClosed ? DatabaseFolder.closed : $0.failure }
        if let refusal { throw refusal }
        let locks = locks
        guard access == .readWrite, let gate = locks.gate, let lock = locks.lock else { throw .readOnly }
        try requireInPlace()
        return (gate, lock)
    }

    /// Runs `body` with both held exclusively. Afterwards `lock` is held shared, as before.
    func exclusively<R>(
        _ gate: LockFile,
        _ lock: LockFile,
        timeout: Duration,
        _ body: () throws(StorageError) -> R
    ) throws(StorageError) -> R {
        defer { gate.release() }
        try takeExclusively(gate, lock, timeout: timeout)
        let result: Result<R, StorageError>
        do {
            result = .success(try body())
        } catch {
            result = .failure(error)
        }
        try retake(lock)
        return try result.get()
    }

    /// If this fails, `lock` stays shared, and the caller releases the gate.
    private func takeExclusively(_ gate: LockFile, _ lock: LockFile, timeout: Duration) throws(StorageError) {
        guard try gate.acquire(.exclusive, timeout: timeout) else { throw inUseByOthers() }
        let others: StorageError?
        do {
            others = try lock.attempt(.exclusive) ? nil : inUseByOthers()
        } catch {
            others = error
        }
        // A failed attempt has lost the shared lock. No other process can take it exclusively while this one holds the
        // gate.
        if let others {
            try retake(lock)
            throw others
        }
    }

    private func retake(_ lock: LockFile) throws(StorageError) {
        let lost: StorageError
        do {
            if try lock.attempt(.shared) { return }
            lost = DatabaseFolder.inUse(path, "was locked by another program against its rules")
        } catch {
            lost = error
        }
        state.withLock { $0.failure = lost }
        throw lost
    }
}
