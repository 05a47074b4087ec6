package import Foundation
package import StorageProtocol

/// A kind of databases that are no folders of Settee's, and of which one can be made. Engine knows none by itself.
package protocol ForeignDatabaseKind: Sendable {
    /// Whether there may be one at a path. Changes nothing, and opens nothing but regular files.
    func isLikely(at url: URL) -> Bool

    /// Makes a new database of the one at `source`.
    ///
    /// - Parameters:
    ///   - url: where it is to be.
    ///   - key: the source's key, if it is encrypted: the new database has it too.
    /// - Throws: `corrupt` (591) where not everything can be brought.
    func build(
        at url: URL,
        from source: URL,
        key: StorageKey?,
        storageType: StorageType,
        engines: [any StorageEngineFactory]
    ) throws(StorageError)
}

/// The kinds that this process knows.
package enum ForeignDatabases {
    private static let kinds = Locked<[any ForeignDatabaseKind]>([])

    /// Adds a kind. Kinds are asked in the order in which they were added.
    package static func add(_ kind: any ForeignDatabaseKind) { kinds.withLock { $0.append(kind) } }

    static func kind(at url: URL) -> (any ForeignDatabaseKind)? {
        kinds.withLock { $0 }.first { $0.isLikely(at: url) }
    }
}
