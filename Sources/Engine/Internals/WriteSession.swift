internal import StorageProtocol

/// One write transaction in progress: the store's transaction, and what of its counters is not written yet.
final class WriteSession {
    let transaction: any WriteTransaction
    let database: Database
    private var loaded: StoreCounters?
    /// How many changes were made, so that a refusal before any can be told from a failure halfway.
    private(set) var changes = 0
    /// Why this transaction can only be rolled back.
    private(set) var doom: (any Error)?

    init(_ transaction: any WriteTransaction, of database: Database) {
        self.transaction = transaction
        self.database = database
    }

    /// The counters as of now, the changes of this transaction included.
    func counters() throws(StorageError) -> StoreCounters {
        if let loaded { return loaded }
        let fresh = try transaction.counters()
        loaded = fresh
        return fresh
    }

    /// Takes the next sequence and says how many live documents there are with the change that takes it.
    func nextSequence(liveChange: Int) throws(StorageError) -> (sequence: UInt64, liveCount: UInt64) {
        var now = try counters()
        let live = Int64(now.liveDocuments) + Int64(liveChange)
        guard now.lastSequence < UInt64(Int64.max), live >= 0 else {
            throw .corrupt("The store's document count or last sequence is out of range")
        }
        now.lastSequence += 1
        now.liveDocuments = UInt64(live)
        loaded = now
        changes += 1
        return (now.lastSequence, now.liveDocuments)
    }

    /// Notes a change that takes no sequence.
    func noteChange() { changes += 1 }

    /// Makes sure the transaction is rolled back in the end. The first reason stays.
    func doom(by error: any Error) {
        if doom == nil { doom = error }
    }

    /// Runs one change; whatever fails after it began to write, or in the store itself, dooms the transaction.
    func attempt<R>(_ change: () throws(StorageError) -> R) throws(StorageError) -> R {
        let before = changes
        do {
            return try change()
        } catch {
            if changes != before || error.code.isStorageFailure { doom(by: error) }
            throw error
        }
    }
}
