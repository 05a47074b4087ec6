internal import StorageProtocol

extension DatabaseFolder {
    /// Runs `body`, which switches to a generation that processes share according to `sharing`. Afterwards the writer
    /// lock is kept or released, as this requires. If `body` fails, the lock is as it was.
    ///
    /// Called with `lock` held exclusively: no other process has the folder open, so none has the writer lock.
    ///
    /// - Parameter sharing: Nil: as before.
    func shared<R>(
        as sharing: StorageSharing?,
        switching body: () throws(StorageError) -> R
    ) throws(StorageError) -> R {
        guard let sharing else { return try body() }
        let (locks, keptBefore, turns) = state.withLock { ($0.locks, $0.keepsWriter, $0.turns) }
        let keeps = sharing != .multiProcess
        guard keeps != keptBefore else { return try body() }
        guard let writer = locks.writer, let holder = locks.holder else { throw .readOnly }
        // Do what can fail before the switch.
        let newTurns: WriterTurns
        if let turns { newTurns = turns } else { newTurns = try WriterTurns(writer) }
        if keeps, try !writer.attempt(.exclusive) {
            throw DatabaseFolder.inUse(path, "was locked by another program against its rules")
        }
        if keeps { holder.setFlags(HolderPage.holdsWriter) }
        // A folder closed in the meantime has released all its locks.
        func settle(keeping: Bool) {
            let given = state.withLock { state -> HeldLocks? in
                state.keepsWriter = keeping
                state.turns = newTurns
                return state.isClosed || !keeping && !state.holdsWriter ? locks : nil
            }
            given?.giveWriterAway()
        }
        do {
            let result = try body()
            settle(keeping: keeps)
            return result
        } catch {
            settle(keeping: keptBefore)
            throw error
        }
    }
}

extension DatabaseFolder.HeldLocks {
    func giveWriterAway() {
        holder?.setFlags(0)
        writer?.release()
    }
}
