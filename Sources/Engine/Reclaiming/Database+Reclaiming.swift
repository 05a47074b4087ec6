internal import StorageProtocol

extension Database {
    /// Frees a part of the space of dropped indexes, until others wait to write.
    ///
    /// - Parameter patience: how long to wait for other processes that write; nil: `busyTimeout`.
    /// - Returns: whether something is left.
    func reclaimDroppedIndexes(patience: Duration? = nil) throws(StorageError) -> Bool {
        let isAny = try withReadTransaction { (transaction) throws(StorageError) in
            try transaction.hasDroppedIndexes()
        }
        guard isAny else { return false }
        let isMore = try change(patience: patience, inBackground: true) { (session) throws(StorageError) in
            let end = ContinuousClock.now + IndexReclaimer.slice
            while try session.transaction.reclaimDroppedIndexes(for: IndexReclaimer.step) {
                if hasWaitingWriters || ContinuousClock.now >= end { return true }
            }
            return false
        }
        // The session has not changed anything visible.
        if !isMore { compactor.noteCommit() }
        return isMore
    }
}
