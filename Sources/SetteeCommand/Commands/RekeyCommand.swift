internal import ArgumentParser
internal import Settee

/// `settee rekey`.
struct RekeyCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Have another key open a database, and the old one no more.",
        discussion: """
            The new key is that of --new-key-file or SETTEE_NEW_KEY, else it is asked for on a terminal. Where the \
            database is \
            encrypted already, nothing is encrypted anew, so it takes no time; who has a copy of the folder from \
            before and \
            the old key can still read it, and what is written later too. --rotate ends that: everything is encrypted \
            anew. A plain database is encrypted, and --decrypt makes it plain again. Other programs must not have the \
            database open.
            """
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Flag(help: "Encrypt everything anew. Takes as long as a copy, and as much space meanwhile.")
    var rotate = false
    @Flag(help: "Decrypt everything: there is no key any more. Takes as long as a copy, and as much space meanwhile.")
    var decrypt = false
    @OptionGroup var checking: VerifyOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions
    @OptionGroup var newKey: NewKeyOptions

    func validate() throws {
        if rotate, decrypt { throw ValidationError("--rotate and --decrypt do not go together.") }
        if decrypt, newKey.source.isGiven {
            throw ValidationError("A database that is decrypted has no key: give no new key, or leave --decrypt out.")
        }
    }

    var asksForNewKey: Bool { !decrypt && !newKey.source.isGiven }

    func run(_ printer: Printer) throws {
        let given = try newKey.source.key(asJSON: output.json)
        var options = DatabaseOptions(create: false, verifyOnOpen: checking.verify)
        options.compactionThreshold = nil
        try withDatabase(options) { database in
            var line = ConversionLine()
            let isEncrypted = try database.statistics().isEncrypted
            do {
                let new = try decrypt ? nil : keyToSet(for: database, given, isEncrypted)
                try Interruptible.run(self) {
                    if let new {
                        try change(database, new, isEncrypted, &line)
                    } else {
                        try makePlain(database, isEncrypted, &line)
                    }
                }
            } catch {
                line.clear()
                throw error
            }
            line.clear()
            let count = try database.documentCount
            try printer.line(
                "\(done(isEncrypted)) '\(Columns.printable(db))'.",
                json: JSONLine().string("path", db).bool("rekeyed", true).bool("rotated", rotate && isEncrypted)
                    .bool("encrypted", !decrypt).figures(of: line, documents: count)
            )
        }
    }

    private func done(_ wasEncrypted: Bool) -> String {
        if decrypt { return "Decrypted" }
        if !wasEncrypted { return "Encrypted" }
        return rotate ? "Encrypted anew" : "Changed the key of"
    }

    /// Returns the key that is given, or asks for it.
    private func keyToSet(
        for database: Database,
        _ given: StorageKey?,
        _ isEncrypted: Bool
    ) throws(StorageError) -> StorageKey {
        let type = database.storageType
        // Reported before asking for a key.
        guard isEncrypted || BuiltInEngines.encryptedType(for: type) != nil else {
            throw StorageError(
                .notImplemented,
                "Databases of type '\(type)' cannot be encrypted. Use `settee migrate` with --to sqlcipher."
            )
        }
        var new = given
        if new == nil { new = try KeyPrompt.askForNew(for: db) }
        guard let key = new else {
            throw StorageError(.badRequest, "There is no new key. Give it with \(newKey.source.ways).")
        }
        return key
    }

    private func change(
        _ database: Database,
        _ key: StorageKey,
        _ isEncrypted: Bool,
        _ line: inout ConversionLine
    ) throws(StorageError) {
        var shown = line
        defer { line = shown }
        if !isEncrypted {
            try database.convert(to: database.storageType, key: key) { shown.show($0) }
        } else if rotate {
            try database.rotateKey(to: key) { shown.show($0) }
        } else {
            try database.changeKey(to: key)
        }
    }

    private func makePlain(
        _ database: Database,
        _ isEncrypted: Bool,
        _ line: inout ConversionLine
    ) throws(StorageError) {
        guard isEncrypted else { throw StorageError(.badParameter, "The database is not encrypted.") }
        guard let plain = BuiltInEngines.plainType(for: database.storageType) else {
            throw StorageError(
                .notImplemented,
                "Use `settee migrate` with --decrypt, and say which type it is to have."
            )
        }
        var shown = line
        defer { line = shown }
        try database.convert(to: plain, decrypt: true) { shown.show($0) }
    }
}

extension BuiltInEngines {
    /// Returns the type that encrypts databases and is otherwise like `type`.
    fileprivate static func encryptedType(for type: StorageType) -> StorageType? {
        all.first { $0.storageType == type }?.capabilities.encryptedType
    }

    /// Returns the type that does not encrypt databases and is otherwise like `type`.
    fileprivate static func plainType(for type: StorageType) -> StorageType? {
        all.first { $0.capabilities.encryptedType == type }?.storageType
    }
}
