public import StorageProtocol

/// Opens stores in SQLite files: `db.sqlite3` in the given directory, an ordinary file that the `sqlite3` shell can
/// open.
///
/// The linked library must be SQLite 3.15 or newer, built with threads; if it is not, opening throws.
public struct SQLiteEngineFactory: StorageEngineFactory {
    public var storageType: StorageType { .sqlite }
    public var capabilities: StorageCapabilities { .ofSQLite }

    public init() {}

    /// Reads the file's header as changed by the commits of its log, if this process has no connection to the file.
    /// Otherwise it was read when the first connection was opened.
    public func authorize(directory: String, options: StorageOptions) throws(StorageError) {
        try SQLiteKind.look(in: directory) { (path) throws(StorageError) in
            guard let bytes = try? FileFacts.bytes(path, count: FileHeader.length) else { return }
            try FileHeader.checkFormat(bytes)
            if !options.immutable { try SQLiteKind.plain(.linked()).checkLog(path) }
        }
    }

    public func pendingLog(directory: String) throws(StorageError) -> PendingLog {
        SQLiteKind.pendingLog(in: directory)
    }

    /// - Throws: The errors of the protocol; `storage` (590) if the SQLite library cannot be used.
    public func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
        try requireSupport(for: options)
        return try SQLiteEngine(directory: directory, options: options, kind: .plain(.linked()))
    }
}

extension StorageCapabilities {
    static let ofSQLite = StorageCapabilities(
        sharing: .multiProcess,
        compaction: .copying,
        canCopy: true,
        encryptedType: .sqlcipher,
        walksFasterInParts: true
    )
}
