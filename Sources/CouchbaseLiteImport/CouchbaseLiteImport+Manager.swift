public import Foundation
public import SetteeEngine
public import StorageProtocol
internal import Synchronization

extension Manager {
    /// Makes a new database of this manager of one of Couchbase Lite 1.x.
    ///
    /// - Parameters:
    ///   - name: the new database's name; there is none of it yet.
    ///   - url: a `.cblite2` folder or a `.cblite` file. It is only read.
    ///   - key: the old database's key, if it is encrypted.
    ///   - options: storage type, compression and key of the new database.
    ///   - decrypt: must be set where the old database is encrypted and the new one is not to be.
    ///   - progress: called now and then. Throwing ends the import, and nothing is left.
    /// - Returns: what was brought, and what could not be.
    /// - Throws: as `CouchbaseLiteImport.init` and `run`; `readOnly` (403), `badID` (494).
    public func importCouchbaseLite(
        named name: String,
        from url: URL,
        key: StorageKey? = nil,
        options: DatabaseOptions = DatabaseOptions(),
        decrypt: Bool = false,
        progress: CouchbaseLiteImport.Progress = { (_, _) throws(StorageError) in }
    ) throws(StorageError) -> CouchbaseLiteReport {
        let place = try placeOfNewDatabase(named: name)
        var options = options
        if options.storageType == nil { options.storageType = place.storageType }
        let old = try CouchbaseLiteImport(of: url, key: key)
        return try old.run(
            to: place.url,
            options: options,
            decrypt: decrypt,
            engines: place.engines,
            progress: progress
        )
    }

    /// Puts what a database of Couchbase Lite 1.x holds in the place of a database of this manager, or makes that one;
    /// also where not everything of it can be read. `replaceDatabase(named:from:)` does the same with what can be read
    /// as a whole.
    ///
    /// - Parameters:
    ///   - key: the old database's key, if it is encrypted; the new one has it too.
    ///   - decrypt: must be set where what is replaced is encrypted and the old database is not.
    /// - Returns: what was brought, and what could not be.
    /// - Throws: as `replaceDatabase(named:from:)` and `CouchbaseLiteImport.run`.
    public func replaceDatabase(
        named name: String,
        fromCouchbaseLite url: URL,
        key: StorageKey? = nil,
        decrypt: Bool = false,
        progress: CouchbaseLiteImport.Progress = { (_, _) throws(StorageError) in }
    ) throws(StorageError) -> CouchbaseLiteReport {
        let old = try CouchbaseLiteImport(of: url, key: key)
        return try replaceDatabase(named: name, key: key, decrypt: decrypt) {
            (built, type, engines) throws(StorageError) in
            try old.run(
                to: built,
                options: DatabaseOptions(storageType: type, key: key),
                engines: engines,
                progress: progress
            )
        }
    }
}

extension CouchbaseLiteImport {
    private static let isRegistered = Atomic(false)

    /// Lets `Manager.replaceDatabase(named:from:)` take old databases. The umbrella module does so; further calls do
    /// nothing.
    public static func registerAsSource() {
        guard !isRegistered.exchange(true, ordering: .relaxed) else { return }
        ForeignDatabases.add(Kind())
    }

    private struct Kind: ForeignDatabaseKind {
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
}
