internal import Foundation
public import SetteeEngine
internal import StorageProtocol

extension DatabaseModule {
    /// Lets `Manager.replaceDatabase(named:from:)` read databases of Couchbase Lite 1.x. The umbrella module passes it.
    public static var couchbaseLiteImport: DatabaseModule { DatabaseModule(foreignDatabases: OldDatabases()) }
}

/// Databases of Couchbase Lite 1.x, where a manager replaces a database.
private struct OldDatabases: ForeignDatabaseKind {
    func isLikely(at url: URL) -> Bool { CouchbaseLiteImport.isLikely(at: url) }

    func build(
        at url: URL,
        from source: URL,
        key: StorageKey?,
        storageType: StorageType,
        engines: [any StorageEngineFactory]
    ) throws(StorageError) {
        let report = try CouchbaseLiteImport(of: source, key: key)
            .run(to: url, options: DatabaseOptions(storageType: storageType, key: key), engines: engines)
        guard let first = report.problems.first else { return }
        let count = report.problems.count + report.problemsNotListed
        throw StorageError(
            .corrupt,
            """
            The old database cannot be brought whole: \(count) problems, the first of them: \(first). Use \
            replaceDatabase(named:fromCouchbaseLite:) to take what can be brought.
            """
        )
    }
}
