internal import StorageProtocol

extension StorageEngine {
    /// Returns the counters of the store's current state.
    func counters() throws(StorageError) -> StoreCounters {
        try read { (transaction) throws(StorageError) in try transaction.counters() }
    }
}
