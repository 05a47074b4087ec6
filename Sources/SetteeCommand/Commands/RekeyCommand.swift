internal import ArgumentParser
internal import Settee

/// `settee rekey`.
struct RekeyCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Have another key open an encrypted database, and the old one no more.",
        discussion: """
            The new key is that of --new-key-file or SETTEE_NEW_KEY, else it is asked for on a terminal. Nothing is \
            encrypted anew, so it takes no time; copies of the folder from before still have the old key. Other programs \
            must not have the database open.
            """
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @OptionGroup var checking: VerifyOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions
    @OptionGroup var newKey: NewKeyOptions

    func run(_ printer: Printer) throws {
        let given = try newKey.source.key(asJSON: output.json)
        try withDatabase(DatabaseOptions(create: false, verifyOnOpen: checking.verify)) { database in
            try database.changeKey(to: given ?? askForNew(database))
            try printer.line(
                "Changed the key of '\(Columns.printable(db))'.",
                json: JSONLine().string("path", db).bool("rekeyed", true)
            )
        }
    }

    private func askForNew(_ database: Database) throws(StorageError) -> StorageKey {
        guard try database.statistics().isEncrypted else {
            throw StorageError(.badParameter, "The database is not encrypted: it has no key to be changed.")
        }
        guard let key = try KeyPrompt.askForNew(for: db) else {
            throw StorageError(.badRequest, "There is no new key. Give it with \(newKey.source.ways).")
        }
        return key
    }
}
