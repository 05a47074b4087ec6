internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// The state of a view and its index.
public struct ViewStatus: Sendable, Equatable {
    /// The name of the view.
    public var name: String
    /// The version that was set last; for a stored definition, its text.
    public var version: String
    /// The definition that is stored in the database; nil: programs set the map function.
    public var definition: ViewDefinition?
    /// The name of the reduce function, if there is one.
    public var reduce: String?
    /// The order of the keys.
    public var collation: ViewCollation
    /// The number of rows in the index; 0 if it was never built. While another version is being built, that of the
    /// previous one.
    public var rowCount: UInt64
    /// The last sequence that was indexed.
    public var lastSequence: UInt64
    /// The sequence up to which the index was being updated when one of its rows last changed.
    public var lastChangedSequence: UInt64
    /// Whether the database has changed since then, or the index is of another version.
    public var isStale: Bool
    /// How many documents have no rows because the map function threw, as far as this process has seen since the
    /// database was opened.
    public var failedDocuments: Int
    /// How many rows were left out because they have no key, or their key or value cannot be stored, as far as this
    /// process has seen.
    public var refusedRows: Int
}

extension ViewStatus {
    /// Nil if there is no such view.
    init?(_ name: IndexName, of database: Database, in transaction: any ReadTransaction) throws(StorageError) {
        let record = try IndexRecord.load(name, in: transaction)
        let function = try database.viewFunction(name, in: transaction)
        guard let version = record?.version ?? function?.version else { return nil }
        let last = try transaction.counters().lastSequence
        let faults = database.indexRegistry.faults(name)
        self.init(
            name: name.string,
            version: version.name,
            definition: try ViewDefinition.load(name, in: transaction),
            reduce: function?.reduce?.name ?? record?.derived.map { String($0.prefix { $0 != "/" }) },
            collation: version.collation,
            rowCount: 0,
            lastSequence: 0,
            lastChangedSequence: 0,
            isStale: true,
            failedDocuments: faults.failed,
            refusedRows: faults.refused
        )
        let entry = record?.readable(collation: try database.version(of: version.collation.order))
        if let entry, let state = try transaction.indexState(entry.index) {
            rowCount = state.rowCount
            lastSequence = state.lastSequence
            lastChangedSequence = state.lastChangedSequence
            isStale = entry.version != version || state.lastSequence < last
        }
    }
}
