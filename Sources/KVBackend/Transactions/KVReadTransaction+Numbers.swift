internal import StorageProtocol

extension KVReadTransaction {
    /// Returns the numbers in the store.
    final func storedNumbers() throws(StorageError) -> StoreNumbers {
        try unsafe MetaKey.counters.withBytes { (key) throws(StorageError) in
            try unsafe base.withValue(of: key, in: .meta) { (value) throws(StorageError) in
                guard let value = unsafe value else { throw .corrupt("The store's counters are missing") }
                return try unsafe StoreNumbers(stored: value)
            }
        }
    }

    /// Returns the numbers of this transaction: those in the store, with the changes of the write transaction.
    final func presentNumbers() throws(StorageError) -> StoreNumbers {
        if let known { return known }
        let numbers = try storedNumbers()
        known = numbers
        return numbers
    }
}
