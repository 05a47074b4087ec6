internal import SetteeStorageFiles
internal import StorageProtocol

/// An old database, open for reading through its private copy.
final class OldDatabase {
    let connection: SourceConnection
    let schema: OldSchema
    let contents: OldContents
    let isEncrypted: Bool
    /// The problems found in its files.
    let problems: [String]
    private let copy: PrivateCopy

    /// - Throws: like `CouchbaseLiteImport.run`.
    init(
        _ layout: OldLayout,
        key: StorageKey?,
        isPlain: Bool,
        in folder: PrivateFolder
    ) throws(StorageError) {
        let marker = try OldContents.marker(in: layout)
        if isPlain, key != nil, marker == nil {
            throw StorageError(.badParameter, "The old database is not encrypted. Leave its key out.")
        }
        var keys: [StorageKey] = []
        if let key { keys = try SourceOpening.keys(key) }
        guard isPlain || !keys.isEmpty else { throw CouchbaseLiteImport.encrypted(layout.folder) }
        copy = try PrivateCopy(of: layout, in: folder, isPlain: isPlain)
        let opening = try SourceOpening(copy.path, keys: keys, isPlain: isPlain)
        connection = opening.connection
        isEncrypted = !isPlain
        problems = copy.problems
        do throws(StorageError) {
            schema = try OldSchema(connection)
        } catch {
            // The whole database may have been in the log.
            guard let problem = problems.first else { throw error }
            throw StorageError(
                .corrupt,
                "Nothing of the old database can be read: \(problem). Restore it from a backup."
            )
        }
        contents = OldContents(layout, keys: opening.key.map { [$0] } ?? keys, marker: marker)
    }
}
