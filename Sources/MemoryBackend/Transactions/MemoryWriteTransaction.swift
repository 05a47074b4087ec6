internal import StorageEngineKit
internal import StorageProtocol

/// The write transaction: a copy of the state that is not visible to others until `commit`.
final class MemoryWriteTransaction: MemoryReadTransaction, WriteTransaction {
    private var hasWritten = false
    /// The change counter that the commit will leave.
    var restoredCounter: UInt64?

    func commit() throws(StorageError) {
        do throws(StorageError) {
            try checkWrite()
        } catch {
            // A call that is not allowed leaves the transaction unchanged; a doomed one is over.
            if error.code != .callback { rollback() }
            throw error
        }
        if hasWritten {
            state.changeCounter = restoredCounter ?? state.changeCounter + 1
            engine.publish(state)
        }
        rollback()
    }

    func rollback() { end() }

    /// For calls that write.
    func checkWrite() throws(StorageError) { try transactionGuard.checkWrite() }

    func didWrite() { hasWritten = true }
}
