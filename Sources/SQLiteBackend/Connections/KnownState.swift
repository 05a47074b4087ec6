internal import StorageProtocol

/// What a connection has read in one state of the file. Later snapshots of the same state need not read it again.
struct KnownState {
    /// Changes with every change of the file: SQLite discards the pages that it holds at the same moments.
    let version: UInt32
    var counters: StoreCounters?
    /// The index that was asked for last.
    var index: KnownIndex?
}

/// An index as the store describes it.
struct KnownIndex {
    let name: String
    let number: Int64
    let state: IndexState
    /// The number under which its entries are stored.
    let entries: Int64
}
