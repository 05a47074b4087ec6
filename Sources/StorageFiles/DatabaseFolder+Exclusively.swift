package import StorageProtocol

/// `gate` and `lock` held exclusively: nobody else has the folder open, and nobody can open it.
extension DatabaseFolder {
    /// Keeps others away for a long piece of work that ends with a switch, until that or `letOthersIn`. Who opens the
    /// folder meanwhile waits, and gets 423.
    ///
    /// - Parameter timeout: how long to wait for processes that are just opening the folder.
    /// - Throws: `inUse` (423) naming who has it open, `readOnly` (403).
    package func keepOthersAway(timeout: Duration = DatabaseFolder.defaultTimeout) throws(StorageError) {
        let (gate, lock) = try requireSwitchable()
        do throws(StorageError) {
            try takeExclusively(gate, lock, timeout: timeout)
        } catch {
            gate.release()
            throw error
        }
    }

    /// Ends what `keepOthersAway` began. A switch has ended it already; then this does nothing.
    package func letOthersIn() {
        let locks = locks
        guard let gate = locks.gate, let lock = locks.lock else { return }
        // What fails is noted: the folder is of no more use then.
        try? retake(lock)
        gate.release()
    }

    /// What a switch needs.
    @discardableResult
    func requireSwitchable() throws(StorageError) -> (gate: LockFile, lock: LockFile) {
        let refusal: StorageError? = state.withLock { $0.isClosed ? DatabaseFolder.closed : $0.failure }
        if let refusal { throw refusal }
        let locks = locks
        guard access == .readWrite, let gate = locks.gate, let lock = locks.lock else { throw .readOnly }
        return (gate, lock)
    }

    /// Runs `body` with both held exclusively, and leaves with `lock` held shared as before.
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

    /// Leaves `lock` shared where it fails; the gate is the caller's to release.
    private func takeExclusively(_ gate: LockFile, _ lock: LockFile, timeout: Duration) throws(StorageError) {
        guard try gate.acquire(.exclusive, timeout: timeout) else { throw inUseByOthers() }
        let others: StorageError?
        do {
            others = try lock.attempt(.exclusive) ? nil : inUseByOthers()
        } catch {
            others = error
        }
        // A failed try has lost the shared lock. Nobody else can take it exclusively while the gate is ours.
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
