internal import SetteeStorageFiles
public import StorageProtocol
internal import Synchronization

extension Database {
    /// Ends the database: later calls throw. Waits for calls in progress on other threads; from inside a transaction or
    /// snapshot of this thread it is an error. When it returns, the files are closed. A second call does nothing more.
    ///
    /// The files are closed for all who have the database open in this process. Only where this one is read-only and
    /// somebody else's writes, this one alone ends, at once.
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
        // No writer is at work while the engine goes: what it leaves behind is tidied under the writer lock.
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

    /// The work to do once the last user of the database is gone. The closure does not retain the database, because it
    /// is also made in `deinit`.
    private func ending(
        _ engine: any StorageEngine,
        because reason: String,
        whenClosed: (@Sendable () -> Void)?
    ) -> @Sendable () -> Void {
        let name = self.name
        let folder = self.folder
        let closed = self.closed
        let hasWritten = store.hasWritten.load(ordering: .relaxed)
        return {
            // What others have left in the log is theirs to move, or the engine's, which sees whether it is the last
            // one.
            let locked = hasWritten && (try? folder?.lockWriter(timeout: .zero)) != nil
            if locked { try? engine.checkpoint() }
            engine.close()
            if locked { folder?.unlockWriter() }
            folder?.close()
            whenClosed?()
            closed.open()
            // A handler may open it again, or wait for who does.
            Log.log(.info, .database, "\(name) \(reason)")
        }
    }
}
