internal import ArgumentParser
internal import Settee

/// `settee rekey`.
struct RekeyCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Have another key open an encrypted database, and the old one no more.",
        discussion: """
            The new key is that of --new-key-file or SETTEE_NEW_KEY, else it is asked for on a terminal. Nothing is \
            encrypted anew, so it takes no time; who has a copy of the folder from before and the old key can still read \
            it, and what is written later too. --rotate ends that: everything is encrypted anew. Other programs must not \
            have the database open.
            """
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Flag(help: "Encrypt everything anew. Takes as long as a copy, and as much space meanwhile.")
    var rotate = false
    @OptionGroup var checking: VerifyOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions
    @OptionGroup var newKey: NewKeyOptions

    func run(_ printer: Printer) throws {
        let given = try newKey.source.key(asJSON: output.json)
        try withDatabase(DatabaseOptions(create: false, verifyOnOpen: checking.verify)) { database in
            let key = try given ?? askForNew(database)
            if rotate { try encryptAnew(database, key) } else { try database.changeKey(to: key) }
            try printer.line(
                "\(rotate ? "Encrypted anew" : "Changed the key of") '\(Columns.printable(db))'.",
                json: JSONLine().string("path", db).bool("rekeyed", true).bool("rotated", rotate)
            )
        }
    }

    private func encryptAnew(_ database: Database, _ key: StorageKey) throws(StorageError) {
        var line = ProgressLine(total: 100)
        defer { line.clear() }
        try database.rotateKey(to: key) { progress in
            let share = progress.total > 0 ? Int(Double(progress.done) / Double(progress.total) * 100) : 100
            line.show("encrypting the \(progress.phase == .data ? "data" : "attachments"): \(share) %", done: share)
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
