internal import StorageProtocol

/// The write transaction: a copy of the state that nobody else sees until `commit`.
final class MemoryWriteTransaction: MemoryReadTransaction, WriteTransaction {
    private var hasWritten = false
    /// The change counter that the commit is to leave.
    var restoredCounter: UInt64?

    func commit() throws(StorageError) {
        do throws(StorageError) {
            try checkWrite()
        } catch {
            if error.code == .notOpen { rollback() }
            throw error
        }
        if hasWritten {
            state.changeCounter = restoredCounter ?? state.changeCounter + 1
            engine.publish(state)
        }
        rollback()
    }

    func rollback() {
        guard !isOver else { return }
        isOver = true
        state = MemoryState()
        engine.didEndWrite()
    }

    override func end() { rollback() }

    /// Throws where the transaction cannot be used, and inside a closure that reads through it.
    func checkWrite() throws(StorageError) {
        try check()
        if runningClosures > 0 {
            throw StorageError(
                .callback,
                "A closure that reads through a transaction must not write through it. Write after it has returned."
            )
        }
    }

    func didWrite() { hasWritten = true }
}
