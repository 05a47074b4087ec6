internal import StorageProtocol

extension Database {
    /// Runs `body` as one transaction of the calling thread: all it saves becomes visible and permanent in one commit,
    /// or, if it throws, nothing of it.
    ///
    /// Calls on this database from inside join the transaction; so does a nested `inTransaction`. An error thrown
    /// through a nested one dooms the outer one, even where it is caught there, unless nothing was written inside. A
    /// refusal (such as 409) of a single call, caught by `body`, does not.
    ///
    /// - Throws: what `body` throws; `readOnly` (403), `inUse` (423) where another process writes longer than
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

    /// Runs `body` on one consistent state of the database, that of its beginning: several reads that agree. Reads by
    /// other means on this database, from inside and the same thread, see that state too; writes are refused (593).
    ///
    /// Inside a transaction the state is that of the transaction, and writes are refused all the same.
    ///
    /// - Throws: what `body` throws; `notOpen` (503), `callback` (593) inside an `update` closure, `storage` (590).
    public func read<R>(_ body: (Snapshot) throws -> R) throws -> R {
        var outcome: Result<R, any Error>?
        let context = ThreadContext.current
        try withReadGeneration(readsBlobs: true, beginsAtOnce: true) {
            (transaction, generation) throws(StorageError) in
            let snapshot = Snapshot(transaction, of: self)
            defer { snapshot.end() }
            outcome = Result { try context.with(.snapshot(transaction, generation), on: self) { try body(snapshot) } }
        }
        guard let outcome else { throw StorageError(.unexpected, "The snapshot was not read.") }
        return try outcome.get()
    }

    /// How many documents there are whose current revision is not a tombstone. Complexity: O(log n).
    public var documentCount: UInt64 {
        get throws(StorageError) { try counters().liveDocuments }
    }

    /// The highest sequence that was ever used, by purges too; 0 in a new database. Complexity: O(log n).
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
