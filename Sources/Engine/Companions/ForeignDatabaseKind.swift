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
