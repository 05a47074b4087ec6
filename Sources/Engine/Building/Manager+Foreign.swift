package import Foundation
internal import SetteeStorageFiles
package import StorageProtocol

extension Manager {
    /// Where a new database of this name comes to be, and what it is made with.
    ///
    /// - Throws: `readOnly` (403) where this manager is, `badID` (494) for a name that is not allowed, `exists` (412)
    ///   for one that a database in memory has.
    package func placeOfNewDatabase(
        named name: String
    ) throws(StorageError) -> (url: URL, storageType: StorageType, engines: [any StorageEngineFactory]) {
        guard !options.readOnly else {
            throw StorageError(
                .readOnly,
                "The manager is read-only. Use one without the readOnly option to make databases."
            )
        }
        let folderName = try DatabaseName.folderName(name)
        guard !hasInMemory(name) else {
            throw StorageError(.exists, "A database in memory has this name. Choose another one.")
        }
        return (URL(filePath: path + "/" + folderName, directoryHint: .isDirectory), try defaultStorageType(), engines)
    }

    /// Puts a database that is built for this in the place of one of this manager, or makes that one.
    ///
    /// It is built beside the others, under a staging name, and then taken as `replaceDatabase` takes a prebuilt one:
    /// it gets new UUIDs, and a kill at any moment leaves the database that was there before, or the new one, whole.
    ///
    /// - Parameters:
    ///   - key: that of what is built; nil: it is not encrypted.
    ///   - decrypt: as in `replaceDatabase`.
    ///   - build: makes the database at the URL.
    /// - Throws: as `replaceDatabase`; what `build` throws.
    package func replaceDatabase<R>(
        named name: String,
        key: StorageKey?,
        decrypt: Bool,
        building build: (
            _ url: URL, _ storageType: StorageType, _ engines: [any StorageEngineFactory]
        ) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let place = try placeOfNewDatabase(named: name)
        let folder = try PrivateFolder(in: path)
        defer { folder.remove() }
        let built = URL(filePath: folder.path + "/built.settee", directoryHint: .isDirectory)
        let result = try build(built, place.storageType, engines)
        let source = try Database.open(
            at: built,
            options: DatabaseOptions(create: false, readOnly: true, key: key),
            engines: engines
        )
        do throws(StorageError) {
            try DatabaseReplacement(source: source, path: place.url.path, decrypt: decrypt).run()
        } catch {
            try? source.close()
            throw error
        }
        try source.close()
        Log.log(.info, .database, "\(name) was replaced by one that was built (\(place.storageType))")
        return result
    }
}
