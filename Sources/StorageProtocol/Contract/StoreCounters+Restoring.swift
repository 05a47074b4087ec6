extension StoreCounters {
    /// For engines, in `restore`: checks that a store that is being built can take these counters.
    ///
    /// - Parameter present: The store's current counters.
    /// - Throws: `badParameter` (495) if it cannot.
    public func requireRestorable(over present: StoreCounters) throws(StorageError) {
        guard max(lastSequence, changeCounter) <= UInt64(Int64.max) else {
            throw StorageError(.badParameter, "No sequence or counter is beyond 2^63 - 1. Pass a lower one.")
        }
        guard lastSequence >= present.lastSequence else {
            throw StorageError(
                .badParameter,
                "The last sequence \(lastSequence) is below \(present.lastSequence), which is used. Pass that of the "
                    + "store that is restored."
            )
        }
        guard liveDocuments == present.liveDocuments else {
            throw StorageError(
                .badParameter,
                "The store has \(present.liveDocuments) live documents, not \(liveDocuments). Bring in the documents "
                    + "first."
            )
        }
    }
}
