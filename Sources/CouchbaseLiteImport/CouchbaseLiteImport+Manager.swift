public import Foundation
public import SetteeEngine
internal import SetteeTransfer
public import StorageProtocol

extension Manager {
    /// Creates a new database of this manager from a Couchbase Lite 1.x database.
    ///
    /// - Parameters:
    ///   - name: the name of the new database, which must not exist yet.
    ///   - url: a `.cblite2` folder or a `.cblite` file. It is only read.
    ///   - key: the old database's key, if it is encrypted.
    ///   - options: storage type, compression and key of the new database.
    ///   - decrypt: must be set if the old database is encrypted and the new one is not to be.
    ///   - progress: called from time to time. If it throws, the import ends and nothing is left.
    /// - Returns: what was imported, and what could not be.
    /// - Throws: like `CouchbaseLiteImport.init` and `run`; `readOnly` (403), `badID` (494).
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

    /// Replaces a database of this manager by the contents of a Couchbase Lite 1.x database, or creates it, even if not
    /// all of the old database can be read. `replaceDatabase(named:from:)` does the same if all of it can be read.
    ///
    /// - Parameters:
    ///   - key: the old database's key, if it is encrypted; the new one gets the same key.
    ///   - decrypt: must be set if the database to be replaced is encrypted and the old database is not.
    /// - Returns: what was imported, and what could not be.
    /// - Throws: like `replaceDatabase(named:from:)` and `CouchbaseLiteImport.run`.
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
