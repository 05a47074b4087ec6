package import StorageProtocol

extension WriteSession {
    /// Removes an index; what it takes is freed after the commit, by and by.
    package func dropIndex(_ name: String) throws(StorageError) {
        try transaction.dropIndex(name)
        hasDroppedIndexes = true
    }

    /// Removes all entries of an index; what they take is freed after the commit, by and by.
    package func removeAllIndexEntries(_ name: String) throws(StorageError) {
        try transaction.removeAllIndexEntries(name)
        hasDroppedIndexes = true
    }
}
