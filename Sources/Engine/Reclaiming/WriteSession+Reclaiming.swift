package import StorageProtocol

extension WriteSession {
    /// Removes an index. Its space is freed gradually after the commit.
    package func dropIndex(_ name: String) throws(StorageError) {
        try transaction.dropIndex(name)
        hasDroppedIndexes = true
    }

    /// Removes all entries of an index. Their space is freed gradually after the commit.
    package func removeAllIndexEntries(_ name: String) throws(StorageError) {
        try transaction.removeAllIndexEntries(name)
        hasDroppedIndexes = true
    }
}
