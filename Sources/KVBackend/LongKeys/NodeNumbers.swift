internal import StorageProtocol

/// Hands out the numbers of the nodes that long keys are cut into. A write transaction does.
protocol NodeNumbers: AnyObject {
    /// A number above all that were handed out before, in this store's whole life; the first is at least 1.
    func nextNode() throws(StorageError) -> UInt64
}
