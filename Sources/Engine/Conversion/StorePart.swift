internal import StorageProtocol

/// How much a store that is being built already holds. It was filled in the order of `StoreTransfer`, so everything
/// before the last entry of a kind is present.
struct StorePart {
    /// The last sequence of a record.
    private(set) var record: UInt64 = 0
    /// The last sequence of a body of a revision other than the winner.
    private(set) var body: UInt64 = 0
    /// The last sequence of a hidden entry.
    private(set) var hiddenEntry: UInt64 = 0
    private(set) var indexes: [[UInt8]: IndexState] = [:]

    /// An empty store.
    init() {}

    /// - Complexity: O(bodies of other revisions and hidden entries).
    init(of transaction: any ReadTransaction) throws(StorageError) {
        try transaction.orderedRecords(sequences: 0...UInt64.max, descending: true, fields: .metadata) {
            (last) throws(StorageError) in
            record = last.sequence
            return false
        }
        try transaction.orderedRevisionBodies { (sequence, _, _) throws(StorageError) in
            body = sequence
            return true
        }
        try transaction.orderedHiddenEntries(sequences: 0...UInt64.max) { (sequence, _) throws(StorageError) in
            hiddenEntry = sequence
            return true
        }
        for name in try transaction.indexNames() { indexes[Array(name.utf8)] = try transaction.indexState(name) }
    }
}
