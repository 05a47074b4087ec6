internal import ArgumentParser
internal import Foundation
internal import Settee

/// `settee import`.
struct ImportCommand: NewDatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract:
            "Import documents as JSON, or a database of Couchbase Lite 1.x. The database is made if missing.",
        discussion: """
            A document's ID comes from --id-field, else its `_id`, else the member's name (object of objects), else it \
            is \
            a new UUID. `_rev` with `_revisions` is kept; `_rev` alone is a revision without ancestors. A document \
            whose \
            ID exists fails; the others are imported, and the exit status is 1. `_exp` says when a document expires.

            Backups of couchbackup and answers of `_all_docs?include_docs=true` are recognised, as are the latter's \
            rows at --at /rows; another --format than auto takes them literally.

            What `settee export --all` wrote is recognised by its first line. It is verified whole before anything is \
            stored. A database without documents becomes what was exported, or stays empty; one with documents gets \
            the \
            revisions that it lacks.

            A .cblite2 folder or .cblite file of Couchbase Lite 1.0 to 1.4 becomes a new database, which must not be \
            there yet. \
            What cannot be brought is listed, and the exit status is 1. --key-file is the old database's key then, and \
            --new-key-file the new one's.

            With documents a key, of --key-file or --new-key-file or their variables, is that of the database: one \
            that is made is \
            encrypted with it.
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case auto, lines, array, object, all

        var layout: JSONElementSplitter.Layout {
            switch self {
            case .auto, .all: .automatic
            case .lines: .values
            case .array: .array
            case .object: .members
            }
        }
    }

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(
        help: "The file to read, `-`: standard input; or a database of Couchbase Lite 1.x.",
        completion: .file()
    )
    var file: String
    @Option(help: "The member that holds a document's ID, a string or a number.")
    var idField: String?
    @Option(
        help: ArgumentHelp("Where in the file's JSON value the documents are, as in /statuses.", valueName: "pointer")
    )
    var at: String?
    @Option(help: "How documents stand in the file: auto, lines, array, object, or all: written by `export --all`.")
    var format: Format = .auto
    @Flag(
        help: "Read MongoDB's Extended JSON, as mongoexport writes it: $oid, $date and $number... become plain values."
    )
    var extendedJSON = false
    @Flag(help: "Print {\"committed\":N} after each commit: so many documents are safe.")
    var reportBatches = false
    @Flag(help: "Leave the new database unencrypted though the database of Couchbase Lite is encrypted.")
    var decrypt = false
    @OptionGroup var type: StorageTypeOption
    @OptionGroup var compression: CompressionOption
    @OptionGroup var writing: WritingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions
    @OptionGroup var newKey: NewKeyOptions

    func validate() throws {
        if isOldDatabase { return try validateForOldDatabase() }
        if decrypt { throw ValidationError("--decrypt is for encrypted databases of Couchbase Lite alone.") }
        try requireOneKey()
        do throws(StorageError) {
            _ = try pointer()
        } catch {
            throw ValidationError(error.message)
        }
        if at != nil, format == .lines {
            throw ValidationError("--at looks into one JSON value; there is none in JSON lines.")
        }
        if format == .all, at != nil || idField != nil || extendedJSON {
            throw ValidationError(
                "What `export --all` wrote has a form of its own: leave --at, --id-field and --extended-json out."
            )
        }
    }

    private func pointer() throws(StorageError) -> JSONPointer? {
        guard let at else { return nil }
        return try JSONPointer(at)
    }

    func run(_ printer: Printer) throws {
        if isOldDatabase { return try importOldDatabase(printer) }
        let key = try givenKey()
        let input = try InputFile(path: file)
        if try format == .all
            || format == .auto && at == nil && idField == nil && !extendedJSON
                && input.begins(with: DatabaseImporter.beginning)
        {
            return try importExport(input, key, printer)
        }
        var options = ImportOptions()
        options.layout = format.layout
        options.pointer = try pointer()
        options.idField = idField
        options.takesRows = format == .auto
        options.isExtendedJSON = extendedJSON
        try withTarget(key) { database, _ in
            let outcome = try importAll(input, options, into: database, printer)
            try printer.line(
                summary(outcome.documents, failed: outcome.failed),
                json: JSONLine().number("documents", outcome.documents).number("failed", outcome.failed)
            )
            try printer.flush()
            if let interruption = outcome.interruption { throw interruption }
            if outcome.failed > 0 { throw ExitCode(1) }
        }
    }

    private func importAll(
        _ input: InputFile,
        _ options: ImportOptions,
        into database: Database,
        _ printer: Printer
    ) throws -> ImportOutcome {
        var failures = ImportFailureList(asJSON: output.json)
        var progress = ProgressLine(total: input.length)
        let outcome = try BulkImporter(into: database, options: options).run {
            () throws(StorageError) in
            try input.read()
        } failure: { refused in
            progress.clear()
            failures.add(refused)
        } committed: { documents, bytes in
            progress.show("\(documents) documents", done: bytes)
            guard reportBatches else { return }
            try printer.output.append(JSONLine().number("committed", documents).bytes)
            try printer.flush()
        }
        progress.clear()
        failures.finish()
        return outcome
    }

    /// Opens the database, or creates it. The storage type of the environment applies only to new databases.
    ///
    /// - Parameters:
    ///   - key: the key given.
    ///   - body: receives whether the database was created.
    private func withTarget(_ key: StorageKey?, _ body: (Database, _ isNew: Bool) throws -> Void) throws {
        var options = writing.database
        options.storageType = try type.given()
        // Conversion is left to `migrate`.
        options.onMismatch = .fail
        options.compression = compression.compression
        options.key = key
        let database: Database
        var isNew = false
        do throws(StorageError) {
            database = try open(&options)
        } catch {
            guard error.code == .notFound else { throw error }
            options.create = true
            options.storageType = try type.forNewDatabase()
            try requireKey(&options)
            database = try Database.open(at: folder, options: options)
            isNew = true
        }
        try using(database) { try body($0, isNew) }
    }

    private func summary(_ documents: Int, failed: Int, unchanged: Int = 0) -> String {
        let saved = documents == 1 ? "1 document" : "\(documents) documents"
        let refused = failed == 0 ? "" : ", \(failed) failed"
        return "Imported \(saved)\(refused)\(unchanged == 0 ? "" : ", \(unchanged) unchanged")."
    }

    // MARK: - What `export --all` wrote

    private func importExport(_ input: InputFile, _ key: StorageKey?, _ printer: Printer) throws {
        let importer =
            if let file = input.regularFile {
                try DatabaseImporter(contentsOf: file)
            } else {
                try DatabaseImporter(spoolingIn: folder.deletingLastPathComponent()) { () throws(StorageError) in
                    try input.read()
                }
            }
        try withTarget(key) { database, isNew in
            do {
                try run(importer, into: database, printer)
            } catch {
                // Nothing was stored, so a database created for it is deleted, too.
                if isNew, let path = database.path { try? DatabaseOpener.delete(path: path) }
                throw error
            }
        }
    }

    private func run(_ importer: DatabaseImporter, into database: Database, _ printer: Printer) throws {
        var progress = ProgressLine(total: importer.contents.documents)
        let summary = try importer.run(into: database) { documents in
            progress.show("\(documents) documents", done: documents)
        } failure: { id, refused in
            progress.clear()
            var refused = refused
            refused.message = "Document '\(id)': \(refused.message)"
            Failure.report(refused, asJSON: output.json)
        }
        progress.clear()
        try printer.line(
            self.summary(summary.documents, failed: summary.failed, unchanged: summary.unchanged),
            json: JSONLine().number("documents", summary.documents).number("failed", summary.failed)
                .number("unchanged", summary.unchanged).number("localDocuments", summary.localDocuments)
                .bool("restored", summary.isRestored).string("digest", summary.digest)
        )
        try printer.flush()
        if summary.failed > 0 { throw ExitCode(1) }
    }
}
