internal import StorageProtocol

/// Figures of a whole store. Two stores with the same figures have the same content.
struct StoreSums: Equatable {
    struct Index: Equatable {
        var name: [UInt8]
        var state: IndexState
        var rows = ContentSum()
        var documents = ContentSum()
        var entries = ContentSum()
    }

    var counters = StoreCounters(liveDocuments: 0, lastSequence: 0, changeCounter: 0)
    var records = ContentSum()
    var bodies = ContentSum()
    var hiddenEntries = ContentSum()
    var localDocuments = ContentSum()
    var expirations = ContentSum()
    var indexes: [Index] = []
    var info = ContentSum()
    var blobReferences = ContentSum()

    /// Returns the first part that differs from `other`, nil if none does.
    func difference(from other: StoreSums) -> StaticString? {
        if counters != other.counters { return "counters" }
        if records != other.records { return "documents" }
        if bodies != other.bodies { return "bodies of older revisions" }
        if hiddenEntries != other.hiddenEntries { return "notes of purges" }
        if localDocuments != other.localDocuments { return "local documents" }
        if expirations != other.expirations { return "expirations" }
        if indexes != other.indexes { return "indexes" }
        if info != other.info { return "info values" }
        if blobReferences != other.blobReferences { return "attachments" }
        return nil
    }
}
