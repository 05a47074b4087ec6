internal import StorageProtocol

/// Provides the numbers of the nodes into which long keys are cut. Implemented by the write transaction.
protocol NodeNumbers: AnyObject {
    /// Returns a number above all previous ones in this store's whole life. The first one is at least 1.
    func nextNode() throws(StorageError) -> UInt64
}
