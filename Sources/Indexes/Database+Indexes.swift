internal import SetteeDocumentValues
package import SetteeEngine
package import StorageProtocol

extension Database {
    /// The version of an order, which indexes are built for.
    package func version(of order: KeyOrder) throws(StorageError) -> String {
        try order.collator.version + sharedCompanion(CollationSuffix.self).text.withLock { $0 }
    }

    /// Returns the last sequence that a transaction of the calling thread shows.
    package func lastSequence(in transaction: any ReadTransaction) throws(StorageError) -> UInt64 {
        if case .write(let session) = threadActivity {
            return try session.lastSequence()
        }
        return try transaction.counters().lastSequence
    }

    /// Whether the calling thread can only read at the moment.
    package var readsOnly: Bool {
        if isReadOnly { return true }
        if case .snapshot = threadActivity { return true }
        return false
    }

    /// Whether the calling thread has a write transaction open.
    package var isWriting: Bool {
        if case .write = threadActivity { return true }
        return false
    }
}
