package import Foundation
package import StorageProtocol

/// A kind of database in another format from which a database can be made. Engine itself has none.
package protocol ForeignDatabaseKind: Sendable {
    /// Whether there may be such a database at a path. Changes nothing, and opens only regular files.
    func isLikely(at url: URL) -> Bool

    /// Makes a new database from the one at `source`.
    ///
    /// - Parameters:
    ///   - url: the folder of the new database.
    ///   - key: the key of the source, if it is encrypted: the new database has it, too.
    /// - Throws: `corrupt` (591) if not everything can be imported.
    func build(
        at url: URL,
        from source: URL,
        key: StorageKey?,
        storageType: StorageType,
        engines: [any StorageEngineFactory]
    ) throws(StorageError)
}

/// The kinds that are registered in this process.
package enum ForeignDatabases {
    private static let kinds = Locked<[any ForeignDatabaseKind]>([])

    /// Adds a kind. Kinds are tried in the order in which they were added.
    package static func add(_ kind: any ForeignDatabaseKind) { kinds.withLock { $0.append(kind) } }

    static func kind(at url: URL) -> (any ForeignDatabaseKind)? {
        kinds.withLock { $0 }.first { $0.isLikely(at: url) }
    }
}
