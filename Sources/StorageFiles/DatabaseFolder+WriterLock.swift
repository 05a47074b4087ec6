package import StorageProtocol
internal import Synchronization

extension DatabaseFolder {
    /// Takes the one lock that covers writes and checkpoints in all processes, unless it is held as long as the folder
    /// is open. The caller serialises its own threads.
    ///
    /// - Parameter timeout: How long to wait for other processes.
    /// - Throws: `inUse` (423) naming the process that has it, `readOnly` (403), `notOpen` (503).
    /// - Complexity: One system call if no other process is waiting for it.
    package func lockWriter(timeout: Duration = DatabaseFolder.defaultTimeout) throws(StorageError) {
        let (locks, turns, refusal) = state.withLock { state -> (HeldLocks?, WriterTurns?, StorageError?) in
            if state.isClosed { return (nil, nil, DatabaseFolder.closed) }
            if let failure = state.failure { return (nil, nil, failure) }
            guard state.keepsWriter else { return (state.locks, state.turns, nil) }
            state.holdsWriter = true
            return (nil, nil, nil)
        }
        if let refusal { throw refusal }
        guard let locks else { return }
        guard access == .readWrite, let writer = locks.writer, let turns, let holder = locks.holder else {
            throw .readOnly
        }
        if turns.isWanted { turns.letOthersGoFirst() }
        if try !writer.attempt(.exclusive) {
            holder.setFlags(HolderPage.wantsWriter)
            defer { holder.setFlags(0) }
            var wait = Waiting(timeout: timeout)
            repeat {
                turns.want()
                guard wait.pause() else { throw writerIsHeld() }
            } while try !writer.attempt(.exclusive)
        }
        turns.taken()
        holder.setFlags(HolderPage.holdsWriter)
        let closed = state.withLock { state in
            state.holdsWriter = !state.isClosed
            return state.isClosed
        }
        if closed {
            writer.release()
            throw DatabaseFolder.closed
        }
    }

    /// Releases the writer lock, unless it is held as long as the folder is open. Does nothing if it is not held.
    package func unlockWriter() {
        let held = state.withLock { state -> HeldLocks? in
            defer { state.holdsWriter = false }
            return state.holdsWriter && !state.keepsWriter ? state.locks : nil
        }
        held?.giveWriterAway()
    }

    /// Runs `body` with the writer lock held.
    package func withWriterLock<R>(
        timeout: Duration = DatabaseFolder.defaultTimeout,
        _ body: () throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try lockWriter(timeout: timeout)
        defer { unlockWriter() }
        return try body()
    }

    private func writerIsHeld() -> StorageError {
        let writing = Holders.writing(path)
        return DatabaseFolder.inUse(
            path,
            writing.isEmpty
                ? "is kept from being written to by a process that reads it without write permission"
                : "is being written to by another process",
            holders: writing
        )
    }
}
