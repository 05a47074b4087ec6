package import Foundation
package import SetteeEngine
internal import SetteeStorageFiles
package import StorageProtocol

extension Manager {
    /// Returns the path at which a new database with this name is created, and the options for it.
    ///
    /// - Throws: `readOnly` (403) if this manager is read-only, `badID` (494) if the name is not allowed, `exists`
    ///   (412) if a database in memory has it.
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

    /// Builds a database and replaces one of this manager with it, or creates that one.
    ///
    /// It is built next to the others, under a staging name, and then handled like a prebuilt one in `replaceDatabase`:
    /// it gets new UUIDs, and if the process is killed at any moment, either the previous database or the new one is
    /// left, complete.
    ///
    /// - Parameters:
    ///   - key: The key of the database that is built; nil: it is not encrypted.
    ///   - decrypt: As in `replaceDatabase`.
    ///   - build: Creates the database at the URL.
    /// - Throws: As `replaceDatabase`; whatever `build` throws.
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
