public import Foundation
@_exported public import SetteeCouchbaseLiteImport
@_exported public import SetteeDocumentValues
@_exported public import SetteeEngine
@_exported public import SetteeJSONSchema
internal import SetteeKV
internal import SetteeMemory
@_exported public import SetteeModels
@_exported public import SetteeQueries
internal import SetteeSQLCipher
internal import SetteeSQLite
@_exported public import SetteeTransfer
@_exported public import SetteeViews
public import StorageProtocol

@_exported public import struct SetteeIndexes.QueryStream
@_exported public import struct StorageProtocol.Compression
@_exported public import struct StorageProtocol.DocumentID
@_exported public import protocol StorageProtocol.DocumentIDConvertible
@_exported public import struct StorageProtocol.Durability
@_exported public import struct StorageProtocol.RevisionID
@_exported public import struct StorageProtocol.StorageError
@_exported public import class StorageProtocol.StorageKey
@_exported public import struct StorageProtocol.StorageProblem
@_exported public import struct StorageProtocol.StorageType

// Of the storage contract an app sees the types above, which it passes and receives. Authors of engines import
// StorageProtocol for the rest. Scripts/check-examples.sh checks it.

/// The engines that come with Settee.
public enum BuiltInEngines {
    /// SQLite, plain and encrypted, LMDB, RocksDB if the package is built with the trait of this name, and the engine
    /// in memory.
    public static let all: [any StorageEngineFactory] =
        [SQLiteEngineFactory(), SQLCipherEngineFactory(), LMDBEngineFactory()] + optional + [MemoryEngineFactory()]

    #if RocksDB
    private static let optional: [any StorageEngineFactory] = [RocksDBEngineFactory()]
    #else
    private static let optional: [any StorageEngineFactory] = []
    #endif
}

extension DatabaseModule {
    /// The modules that come with Settee: views, and the import of Couchbase Lite's databases.
    public static var builtIn: [DatabaseModule] { [.views, .queries, .couchbaseLiteImport] }
}

extension Manager {
    /// Creates a manager of `directory` with the built-in engines. Creates the directory if it is missing.
    ///
    /// - Throws: `fileSystem` (498) or `readOnly` (403) if the directory cannot be created, `badParameter` (495) if it
    ///   is not a file URL.
    public convenience init(directory: URL, options: Options = Options()) throws(StorageError) {
        try self.init(
            directory: directory,
            options: options,
            engines: BuiltInEngines.all,
            modules: DatabaseModule.builtIn
        )
    }

    /// The manager of the default directory. Once it has been created, every call returns the same object.
    ///
    /// - Throws: `fileSystem` (498) or `readOnly` (403) if the directory cannot be created.
    public static var shared: Manager {
        get throws(StorageError) { try SharedManager.get() }
    }

    /// The directory of `shared`: `Settee` in the user's application support folder (on macOS under the application's
    /// bundle identifier); elsewhere `$XDG_DATA_HOME/Settee`, or `~/.local/share/Settee`.
    public static var defaultDirectory: URL { SharedManager.directory }
}

extension Database {
    /// Opens the database folder at `url` with the built-in engines, or creates it.
    ///
    /// - Throws: like the method with `engines`.
    public static func open(at url: URL, options: DatabaseOptions = DatabaseOptions()) throws(StorageError) -> Database
    {
        try open(at: url, options: options, engines: BuiltInEngines.all, modules: DatabaseModule.builtIn)
    }

    /// Like `open(at:options:)`, off the caller's thread.
    public static func openAsync(at url: URL, options: DatabaseOptions = DatabaseOptions()) async throws -> Database {
        try await openAsync(
            at: url,
            options: options,
            engines: BuiltInEngines.all,
            modules: DatabaseModule.builtIn
        )
    }
}
