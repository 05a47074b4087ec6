public import Foundation
internal import SetteeStorageFiles
public import StorageProtocol

extension Manager {
    /// Puts a copy of the database folder at `url`, a prebuilt one for instance, in the place of a database of this
    /// manager, or makes that one. The folder at `url` is only read, and may lie on a read-only medium or be in use.
    ///
    /// Any storage type that this manager has an engine for will do; the database has the source's afterwards. It gets
    /// new UUIDs and remembers the source's private one: `Database.previousPrivateUUID`. A kill at any moment leaves
    /// the database that was there before, or the new one, whole.
    ///
    /// With the umbrella module the source may also be a database of Couchbase Lite 1.x:
    /// docs/guide/couchbase-lite-import.md.
    ///
    /// - Parameters:
    ///   - name: the database to replace or to make.
    ///   - url: the folder of the source, any path.
    ///   - key: the source's key, if it is encrypted; the database has it afterwards. The key of what is replaced is
    ///     not needed.
    ///   - decrypt: must be set where the database is encrypted and the source is not.
    /// - Throws: `readOnly` (403) where this manager is, or the directory cannot be written; `inUse` (423) where the
    ///   database is open, in this process or another; `notFound` (404) where there is no database at `url`;
    ///   `badRequest` (400) where it is the database itself, or without `decrypt`; `unauthorized` (401) for a wrong
    ///   key; `badID` (494) for a name that is not allowed; `invalidStorageType` (497) where this manager lacks the
    ///   source's engine; `corrupt` or `unsupportedFormat` (591); `full` (507); `badParameter` (495) where `url` is not
    ///   a file's. The old database is left as it was then.
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
        // Its refusal comes before the source is read.
        if let identity = try FolderInfo.identity(of: path), identity == (try FolderInfo.identity(of: url.path)) {
            throw StorageError(.badRequest, "A database cannot be replaced by itself.")
        }
        if let kind = ForeignDatabases.kind(at: url) {
            return try replaceDatabase(named: name, key: key, decrypt: decrypt) {
                (built, type, engines) throws(StorageError) in
                try kind.build(at: built, from: url, key: key, storageType: type, engines: engines)
            }
        }
        let source = try Database.open(
            at: url,
            options: DatabaseOptions(create: false, readOnly: true, key: key),
            engines: engines
        )
        try DatabaseReplacement(source: source, path: path, decrypt: decrypt).run()
        Log.log(.info, .database, "\(name) was replaced by a copy of '\(url.path)' (\(source.storageType))")
    }
}
