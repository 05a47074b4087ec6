internal import ArgumentParser
internal import Settee

/// `settee migrate`.
struct MigrateCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Give a database the files of another engine, in its place.",
        discussion: """
            Documents, revisions, sequences, attachments, views and everything else stay as they are. Other programs \
            must not \
            have the database open. The disk must have room for a second copy of the data, and of the attachments \
            where they are \
            encrypted or decrypted. What fails, or is killed, leaves the database as it was.

            --key-file and SETTEE_KEY give the key that the database has. With --new-key-file or SETTEE_NEW_KEY it is \
            encrypted \
            with a new one; a plain database becomes encrypted so.
            """
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Option(help: "The engine that the database is to have: sqlite, sqlcipher, lmdb or rocksdb.")
    var to: String
    @Flag(help: "Have an encrypted database become a plain one.")
    var decrypt = false
    @Flag(help: "Say what would be done, and do nothing.")
    var dryRun = false
    @Option(help: "How bodies are kept: none, or lz4 (storage type lmdb). Default: as now, where the engine can.")
    var compression: Compression?
    @OptionGroup var checking: VerifyOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions
    @OptionGroup var newKey: NewKeyOptions

    func validate() throws {
        if decrypt, newKey.source.isGiven {
            throw ValidationError("A database that is decrypted has no key: give no new key, or leave --decrypt out.")
        }
    }

    func run(_ printer: Printer) throws {
        let type = try StorageType(to)
        let given = try newKey.source.key(asJSON: output.json)
        var options = DatabaseOptions(create: false, verifyOnOpen: checking.verify)
        options.compactionThreshold = nil
        try withDatabase(options) { database in
            let new = try given ?? askForNew(database, type)
            if dryRun { return try plan(database, type, new, printer) }
            var line = ConversionLine()
            let before = database.storageType
            do {
                try Interruptible.run(self) {
                    try database.convert(to: type, key: new, compression: compression, decrypt: decrypt) {
                        line.show($0)
                    }
                }
            } catch {
                line.clear()
                throw error
            }
            line.clear()
            let count = try database.documentCount
            try printer.line(
                "'\(Columns.printable(db))' is '\(database.storageType)' now, and was '\(before)'.",
                json: JSONLine().string("path", db).string("from", before.name).string("to", database.storageType.name)
                    .figures(of: line, documents: count)
            )
        }
    }

    /// Asks for a new key if the type is always encrypted and the database has no key yet.
    private func askForNew(_ database: Database, _ type: StorageType) throws(StorageError) -> StorageKey? {
        guard try !database.statistics().isEncrypted,
            BuiltInEngines.all.contains(where: { $0.storageType == type && $0.capabilities.requiresKey })
        else { return nil }
        guard let key = try KeyPrompt.askForNew(for: db) else {
            throw StorageError(
                .badRequest,
                "A database of type '\(type)' is encrypted. Give a key for it with \(newKey.source.ways)."
            )
        }
        return key
    }

    private func plan(_ database: Database, _ type: StorageType, _ new: StorageKey?, _ printer: Printer) throws {
        let plan = try database.conversionPlan(to: type, key: new, compression: compression, decrypt: decrypt)
        var lines = ["'\(Columns.printable(db))' would stay as it is: '\(plan.from)'."]
        if plan.isNeeded {
            lines = [
                "'\(plan.from)' would become '\(plan.to)'\(plan.isEncrypted ? ", encrypted" : "").",
                "Documents: \(plan.documents)",
                "Attachments to be written anew: \(plan.attachmentBytes) bytes",
                "Indexes to be built again: \(plan.indexesToBuild)",
                "Space that must be free: about \(plan.bytesNeeded) bytes"
                    + (plan.bytesFree.map { "; \($0) are\(plan.hasRoom ? "" : ", which is not enough")" } ?? ""),
            ]
        }
        var json = JSONLine().string("path", db).string("from", plan.from.name).string("to", plan.to.name)
            .bool("needed", plan.isNeeded).bool("encrypted", plan.isEncrypted).number("documents", plan.documents)
            .number("attachmentBytes", plan.attachmentBytes).number("indexesToBuild", plan.indexesToBuild)
            .number("bytesNeeded", plan.bytesNeeded)
        if let free = plan.bytesFree { json = json.number("bytesFree", free) }
        try printer.line(lines.joined(separator: "\n"), json: json)
    }
}
