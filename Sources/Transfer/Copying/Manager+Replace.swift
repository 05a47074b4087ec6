public import Foundation
public import SetteeEngine
internal import SetteeStorageFiles
public import StorageProtocol

extension Manager {
    /// Replaces a database of this manager by a copy of the database folder at `url`, for instance a prebuilt one, or
    /// creates the database from it. The folder at `url` is only read, and may be on a read-only medium or in use.
    ///
    /// The source may have any storage type that this manager has an engine for; the database then has the same. It
    /// gets new UUIDs and remembers the private one of the source: `Database.previousPrivateUUID`. A kill at any moment
    /// leaves the previous database or the new one, complete.
    ///
    /// With the module `.couchbaseLiteImport`, which the umbrella module passes to its managers, the source may also be
    /// a database of Couchbase Lite 1.x:
    /// docs/guide/couchbase-lite-import.md.
    ///
    /// - Parameters:
    ///   - name: the database to replace or to create.
    ///   - url: the folder of the source, at any path.
    ///   - key: the key of the source, if it is encrypted; it then opens the database. The key of the replaced database
    ///     is not needed.
    ///   - decrypt: must be set if the database is encrypted and the source is not.
    /// - Throws: `readOnly` (403) if this manager is read-only, or the directory cannot be written; `inUse` (423) if
    ///   the database is open in this process or another; `notFound` (404) if there is no database at `url`;
    ///   `badRequest` (400) if it is the database itself, or without `decrypt`; `unauthorized` (401) for a wrong key;
    ///   `badID` (494) for a name that is not allowed; `invalidStorageType` (497) if this manager lacks the engine of
    ///   the source; `corrupt` or `unsupportedFormat` (591); `full` (507); `badParameter` (495) if `url` is not a file
    ///   URL. After an error the previous database is unchanged.
    /// - Complexity: O(size of the source). All of its records are read; whether they agree is not checked.
    public func replaceDatabase(
        named name: String,
        from url: URL,
        key: StorageKey? = nil,
        decrypt: Bool = false
    ) throws(StorageError) {
        guard !options.readOnly else {
            throw StorageError(
                .readOnly,
                "The manager is read-only. Use one without the readOnly option to replace databases."
            )
        }
        let folderName = try DatabaseName.folderName(name)
        guard !hasInMemory(name) else {
            throw StorageError(.inUse, "A database in memory has this name. Delete it before it is replaced.")
        }
        let path = self.path + "/" + folderName
        // Refuses before the source is read.
        if let identity = try FolderInfo.identity(of: path), identity == (try FolderInfo.identity(of: url.path)) {
            throw StorageError(.badRequest, "A database cannot be replaced by itself.")
        }
        if let kind = modules.lazy.compactMap(\.foreignDatabases).first(where: { $0.isLikely(at: url) }) {
            return try replaceDatabase(named: name, key: key, decrypt: decrypt) {
                (built, type, engines) throws(StorageError) in
                try kind.build(at: built, from: url, key: key, storageType: type, engines: engines)
            }
        }
        let source = try Database.open(
            at: url,
            options: DatabaseOptions(create: false, readOnly: true, key: key),
            engines: engines,
            modules: modules
        )
        try DatabaseReplacement(source: source, path: path, decrypt: decrypt).run()
        Log.log(.info, .database, "\(name) was replaced by a copy of '\(url.path)' (\(source.storageType))")
    }
}
