public import StorageProtocol

/// Opens stores in SQLite files: `db.sqlite3` in the given directory, an ordinary file that the `sqlite3` shell opens.
///
/// The library linked must be SQLite 3.15 or newer, built with threads; opening says so where it is not.
public struct SQLiteEngineFactory: StorageEngineFactory {
    public var storageType: StorageType { .sqlite }
    public var capabilities: StorageCapabilities { .ofSQLite }

    public init() {}

    /// - Throws: as the protocol says; `storage` (590) where the SQLite library does not serve.
    public func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
        try requireSupport(for: options)
        return try SQLiteEngine(directory: directory, options: options, library: .linked())
    }
}

extension StorageCapabilities {
    static let ofSQLite = StorageCapabilities(sharing: .multiProcess, compaction: .copying, canCopy: true)
}
