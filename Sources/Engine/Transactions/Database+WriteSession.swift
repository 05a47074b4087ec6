internal import SetteeStorageFiles
package import StorageProtocol
internal import Synchronization

extension Database {
    /// Runs `body` in the calling thread's write transaction, or in a new one that commits when it returns.
    ///
    /// - Parameters:
    ///   - patience: how long to wait for other processes that write; nil: `busyTimeout`.
    ///   - inBackground: whether waiting writers go first.
    package func withWriteSession<R>(
        patience: Duration? = nil,
        inBackground: Bool = false,
        _ body: (WriteSession) throws -> R
    ) throws -> R {
        let context = ThreadContext.current
        switch context.activity(on: self) {
        case .write(let session):
            // The transaction belongs to a handle that can write.
            if isReadOnly { throw StorageError.readOnly }
            return try body(session)
        case .snapshot:
            throw StorageError(
                .callback,
                "Inside `read` the database cannot be written. Write after it, or use `inTransaction`."
            )
        case .closure(let name):
            throw Database.calledFromClosure(name)
        case nil:
            break
        }
        guard !isReadOnly else { throw StorageError.readOnly }
        let began = trace?.now
        var end: WriteSession.End?
        while true {
            // Work in the background uses no staged contents.
            if !inBackground { bringStagedAttachments() }
            let outcome = writers.perform(inBackground: inBackground) { () -> Result<R, any Error>? in
                // The database was switched to other files while this thread waited.
                if !inBackground, stagedAttachments.needsBringing { return nil }
                return Result {
                    try runWriteSession(in: context, patience: patience ?? busyTimeout, began: began, &end, body)
                }
            }
            guard let outcome else { continue }
            // Not while others wait, because a log handler may write.
            end?.log(name)
            return try outcome.get()
        }
    }

    private func runWriteSession<R>(
        in context: ThreadContext,
        patience: Duration,
        began: UInt64?,
        _ end: inout WriteSession.End?,
        _ body: (WriteSession) throws -> R
    ) throws -> R {
        let generation = try enter()
        defer { leave(generation) }
        try folder?.lockWriter(timeout: patience)
        defer { folder?.unlockWriter() }
        try context.gate?.beginWriting()
        // Work of this process itself, such as the end of a copy, is waited for at least a second.
        let transaction = try generation.engine.beginWrite(patience: max(.seconds(1), patience))
        store.hasWritten.store(true, ordering: .relaxed)
        let session = WriteSession(transaction, in: generation, of: self)
        if let trace, let began { session.trace = TransactionTrace(trace, wanted: began) }
        var committed = false
        defer { session.end(committed: committed) }
        let result: R
        do {
            result = try context.with(.write(session), on: self) { try body(session) }
            if let doom = session.doom { throw doom }
            try session.settle()
            // Else the commit would be in files that nobody finds.
            try folder?.requireInPlace()
        } catch {
            transaction.rollback()
            session.trace?.rolledBack()
            end = .rolledBack(error)
            throw error
        }
        let commit = session.announced.committed
        let isAnnounced = changeFeed.willCommit(commit)
        let commitBegan = trace?.now
        do {
            try transaction.commit()
        } catch {
            session.trace?.rolledBack()
            if isAnnounced { changeFeed.didNotCommit() }
            end = .notCommitted(problems: generation.engine.takeBackgroundProblems())
            throw error
        }
        committed = true
        session.tell(store.recordCount)
        if let commitBegan { session.trace?.committed(began: commitBegan) }
        changeFeed.didCommit(commit, isAnnounced: isAnnounced)
        if commit == nil, session.changes > 0 { changeFeed.didChangeViews() }
        if let counter = session.knownChangeCounter { note(changeCounter: counter) }
        end = .committed(changes: session.changes, problems: generation.engine.takeBackgroundProblems())
        if let soonest = session.soonestExpiry { expiry.note(soonest) }
        if session.changes > 0 { compactor.noteCommit() }
        if session.hasDroppedIndexes { store.reclaimer.note() }
        return result
    }

    /// Runs one change, in the calling thread's transaction or in one of its own.
    package func change<R>(
        patience: Duration? = nil,
        inBackground: Bool = false,
        _ body: (WriteSession) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        do {
            return try withWriteSession(patience: patience, inBackground: inBackground) { session in
                try session.attempt { () throws(StorageError) in try body(session) }
            }
        } catch let error as StorageError {
            if error.code.isStorageFailure {
                Log.log(.error, .storage, "\(name): a change failed: \(Log.describe(error))")
            } else if error.code == .conflict {
                Log.log(.debug, .document, "\(name): a change met a conflict")
            }
            throw error
        } catch {
            throw StorageError(.unexpected, "A change failed.", cause: error)
        }
    }

    /// Keeps writers of this process away while `body` runs.
    func withoutWriters<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
        guard ThreadContext.current.activity(on: self) == nil else {
            throw StorageError(
                .callback,
                "This cannot be called from inside a transaction, snapshot or closure of the database."
            )
        }
        return try writers.perform(body)
    }

    static func calledFromClosure(_ name: StaticString) -> StorageError {
        StorageError(
            .callback,
            "The database was called from inside its own \(name) closure. Read what is needed before."
        )
    }
}
