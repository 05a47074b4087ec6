internal import ArgumentParser
internal import Settee

/// A command that creates a database, or may create one.
protocol NewDatabaseCommand: DatabaseCommand {
    var newKey: NewKeyOptions { get }
}

extension NewDatabaseCommand {
    /// There is only one database, so both options mean the same key.
    func requireOneKey() throws {
        guard key.source.isGiven, newKey.source.isGiven else { return }
        throw ValidationError(
            """
            A key and a new key are given (--key-file, SETTEE_KEY; --new-key-file, SETTEE_NEW_KEY). \
            The database has one: give one of them.
            """
        )
    }

    /// Returns the key given, for a new or an existing database.
    func givenKey() throws(StorageError) -> StorageKey? {
        try (newKey.source.isGiven ? newKey.source : key.source).key(asJSON: output.json)
    }

    /// Makes sure that the options for a new database have a key if its type needs one.
    ///
    /// - Throws: `badRequest` (400) if none was given and there is no terminal.
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
