internal import SetteeSQLite
public import StorageProtocol

/// Opens stores in encrypted SQLite files: `db.sqlite3` in the given directory, which the `sqlcipher` shell can open
/// with the same key.
///
/// The library libsqlcipher is loaded at run time, in addition to the libsqlite3 that the program is linked against.
public struct SQLCipherEngineFactory: StorageEngineFactory {
    public var storageType: StorageType { .sqlcipher }
    public var capabilities: StorageCapabilities { .ofSQLCipher }

    public init() {}

    /// Reads the file's first page, if this process has no connection to the file, and checks whether it was written
    /// with the key.
    public func authorize(directory: String, options: StorageOptions) throws(StorageError) {
        let kind = try kind(options)
        try SQLiteKind.look(in: directory) { (path) throws(StorageError) in
            try kind.check(path)
            if !options.immutable { try kind.checkLog(path) }
        }
    }

    public func pendingLog(directory: String) throws(StorageError) -> PendingLog {
        SQLiteKind.pendingLog(in: directory)
    }

    /// - Throws: The errors of the protocol; `unauthorized` (401) without a key; `notImplemented` (501) if libsqlcipher
    ///   is missing or cannot be used; `badParameter` (495) for a passphrase.
    public func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
        try requireSupport(for: options)
        return try kind(options).open(directory, options)
    }

    private func kind(_ options: StorageOptions) throws(StorageError) -> SQLiteKind {
        guard let key = options.key else { throw .wrongKey }
        return SQLiteKind(
            storageType: storageType,
            capabilities: capabilities,
            library: try SQLCipherLibrary.loaded(),
            cipher: try SQLCipherFile(key)
        )
    }
}

extension StorageCapabilities {
    static let ofSQLCipher = StorageCapabilities(
        sharing: .multiProcess,
        compaction: .copying,
        canCopy: true,
        encrypts: true,
        requiresKey: true,
        cipher: "sqlcipher 3, aes-256-cbc, hmac-sha1, \(PageSeal.pageSize)",
        walksFasterInParts: true
    )
}
