internal import StorageProtocol

extension Database {
    /// Runs `body` as one transaction of the calling thread: everything it saves becomes visible and permanent in one
    /// commit, or nothing of it if `body` throws.
    ///
    /// Calls on this database inside `body` join the transaction, and so does a nested `inTransaction`. An error thrown
    /// through a nested call dooms the outer transaction, even if it is caught there, unless nothing was written
    /// inside. A refusal (such as 409) of a single call that `body` catches does not.
    ///
    /// - Throws: what `body` throws; `readOnly` (403), `inUse` (423) if another process writes for longer than
    ///   `busyTimeout`, `notOpen` (503), `callback` (593) inside `read` or an `update` closure, `full` (507), `storage`
    ///   (590).
    @discardableResult
    public func inTransaction<R>(_ body: () throws -> R) throws -> R {
        try withWriteSession { session in
            let before = session.changes
            do {
                return try body()
            } catch {
                let failed = (error as? StorageError)?.code.isStorageFailure ?? false
                if session.changes != before || failed { session.doom(by: error) }
                throw error
            }
        }
    }

    /// Runs `body` on one consistent state of the database, that at its beginning, so that several reads agree. Other
    /// reads on this database inside `body`, on the same thread, see that state, too. Writes are refused (593).
    ///
    /// Inside a transaction the state is that of the transaction, and writes inside `body` are still refused.
    ///
    /// - Throws: what `body` throws; `notOpen` (503), `callback` (593) inside an `update` closure, `storage` (590).
    public func read<R>(_ body: (Snapshot) throws -> R) throws -> R {
        var outcome: Result<R, any Error>?
        let context = ThreadContext.current
        try withReadGeneration(readsBlobs: true, beginsAtOnce: true) {
            (transaction, generation) throws(StorageError) in
            let snapshot = Snapshot(transaction, of: self)
            let began = trace?.now
            if let trace, let began { trace.record("snapshot", began: began) }
            defer {
                snapshot.end()
                if let trace, let began { trace.record("snapshotEnd", began: began) }
            }
            outcome = Result { try context.with(.snapshot(transaction, generation), on: self) { try body(snapshot) } }
        }
        guard let outcome else { throw StorageError(.unexpected, "The snapshot was not read.") }
        return try outcome.get()
    }

    /// The number of documents whose current revision is not a tombstone. Complexity: O(log n).
    public var documentCount: UInt64 {
        get throws(StorageError) { try counters().liveDocuments }
    }

    /// The highest sequence ever used, including those of purges; 0 in a new database. Complexity: O(log n).
    public var lastSequence: UInt64 {
        get throws(StorageError) { try counters().lastSequence }
    }

    func counters() throws(StorageError) -> StoreCounters {
        if case .write(let session) = ThreadContext.current.activity(on: self) { return try session.counters() }
        let counters = try withReadTransaction { (transaction) throws(StorageError) in try transaction.counters() }
        note(changeCounter: counters.changeCounter)
        return counters
    }
}
