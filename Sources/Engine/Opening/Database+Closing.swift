internal import SetteeStorageFiles
public import StorageProtocol
internal import Synchronization

extension Database {
    /// Closes the database: later calls throw. Waits for calls in progress on other threads. When it returns, the files
    /// are closed. A second call does nothing.
    ///
    /// The files are closed for every handle of this process. Only if this handle is read-only and another one writes,
    /// just this handle is closed, at once.
    ///
    /// - Throws: `callback` (593) inside a transaction, snapshot or closure of this thread on this database.
    public func close() throws(StorageError) { try close(because: "is closed") }

    func close(because reason: String) throws(StorageError) {
        guard ThreadContext.current.activity(on: self) == nil else {
            throw StorageError(.callback, "A database cannot be closed from inside its own transaction or closure.")
        }
        if let origin, isReadOnly, !origin.isReadOnly {
            if hasEnded.exchange(true, ordering: .acquiringAndReleasing) { return }
            return endCompanions()
        }
        for handle in store.handles.withLock({ $0.compactMap(\.database) }) { handle.endCompanions() }
        expiry.stop()
        compactor.stop()
        store.reclaimer.stop()
        // No writer is at work while the engine is closed: it tidies its files under the writer lock.
        let idle = writers.perform {
            store.state.withLock { state -> (@Sendable () -> Void)? in
                guard let generation = state.generation.take() else { return nil }
                state.closedBecause = reason
                state.closing = ending(generation.engine, because: reason, whenClosed: state.whenClosed)
                return state.users == 0 ? state.closing.take() : nil
            }
        }
        changeFeed.close()
        idle?()
        closed.wait()
    }

    private func endCompanions() {
        for companion in companions.all { companion.databaseWillClose() }
    }

    /// Returns the work to do once the last user of the database is gone. The closure does not retain the database,
    /// because it is also made in `deinit`.
    private func ending(
        _ engine: any StorageEngine,
        because reason: String,
        whenClosed: (@Sendable () -> Void)?
    ) -> @Sendable () -> Void {
        let name = self.name
        let folder = self.folder
        let closed = self.closed
        let trace = self.trace
        let hasWritten = store.hasWritten.load(ordering: .relaxed)
        return {
            let began = trace?.now
            // What other processes left in the log is moved by them, or by the engine, which sees whether it is the
            // last one.
            let locked = hasWritten && (try? folder?.lockWriter(timeout: .zero)) != nil
            if locked { try? engine.checkpoint() }
            let problems = engine.takeBackgroundProblems()
            engine.close()
            if locked { folder?.unlockWriter() }
            folder?.close()
            if let trace, let began { trace.closed(began: began) }
            whenClosed?()
            closed.open()
            // A log handler may open the database again, or wait for another thread that does.
            Log.log(problems, of: name)
            Log.log(.info, .database, "\(name) \(reason)")
        }
    }
}
