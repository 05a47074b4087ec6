internal import StorageProtocol

extension StorageEngine {
    /// The counters of the store's present state.
    func counters() throws(StorageError) -> StoreCounters {
        try read { (transaction) throws(StorageError) in try transaction.counters() }
    }
}
