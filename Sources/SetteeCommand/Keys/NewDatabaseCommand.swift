internal import ArgumentParser
internal import Settee

/// A command that makes a database, or may do so.
protocol NewDatabaseCommand: DatabaseCommand {
    var newKey: NewKeyOptions { get }
}

extension NewDatabaseCommand {
    /// There is one database only: both mean the same key.
    func requireOneKey() throws {
        guard key.source.isGiven, newKey.source.isGiven else { return }
        throw ValidationError(
            """
            A key and a new key are given (--key-file, SETTEE_KEY; --new-key-file, SETTEE_NEW_KEY). \
            The database has one: give one of them.
            """
        )
    }

    /// The key that was given, for a new database or for the one that there is.
    func givenKey() throws(StorageError) -> StorageKey? {
        try (newKey.source.isGiven ? newKey.source : key.source).key(asJSON: output.json)
    }

    /// Has the options for a new database have a key if its type needs one.
    ///
    /// - Throws: `badRequest` (400) where none was given and nobody is at a terminal.
    func requireKey(_ options: inout DatabaseOptions) throws(StorageError) {
        guard options.key == nil, let type = options.storageType,
            BuiltInEngines.all.contains(where: { $0.storageType == type && $0.capabilities.requiresKey })
        else { return }
        options.key = try KeyPrompt.askForNew(for: db)
        guard options.key != nil else {
            throw StorageError(
                .badRequest,
                "A database of type '\(type)' is encrypted. Give a key for it with \(key.source.ways)."
            )
        }
    }
}
