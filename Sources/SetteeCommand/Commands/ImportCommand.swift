internal import ArgumentParser
internal import Settee

/// `settee import`.
struct ImportCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract:
            "Import documents: JSON lines, a JSON array, or an object of objects. The database is made if missing.",
        discussion: """
            A document's ID comes from --id-field, else its `_id`, else the member's name (object of objects), else it is \
            a new UUID. `_rev` with `_revisions` is kept; `_rev` alone is a revision without ancestors. A document whose \
            ID exists fails; the others are imported, and the exit status is 1.
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case auto, lines, array, object

        var layout: JSONElementSplitter.Layout {
            switch self {
            case .auto: .automatic
            case .lines: .values
            case .array: .array
            case .object: .members
            }
        }
    }

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(help: "The file to read; `-`: standard input.", completion: .file())
    var file: String
    @Option(help: "The member that holds a document's ID, a string or a number.")
    var idField: String?
    @Option(
        help: ArgumentHelp("Where in the file's JSON value the documents are, as in /statuses.", valueName: "pointer")
    )
    var at: String?
    @Option(help: "How documents stand in the file: auto, lines, array or object.")
    var format: Format = .auto
    @Flag(help: "Print {\"committed\":N} after each commit: so many documents are safe.")
    var reportBatches = false
    @OptionGroup var type: StorageTypeOption
    @OptionGroup var writing: WritingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions
    @OptionGroup var newKey: NewKeyOptions

    func validate() throws {
        do throws(StorageError) {
            _ = try pointer()
        } catch {
            throw ValidationError(error.message)
        }
        if at != nil, format == .lines {
            throw ValidationError("--at looks into one JSON value; there is none in JSON lines.")
        }
    }

    private func pointer() throws(StorageError) -> JSONPointer? {
        guard let at else { return nil }
        return try JSONPointer(at)
    }

    func run(_ printer: Printer) throws {
        try newKey.refuseAnyKey()
        let input = try InputFile(path: file)
        var options = ImportOptions()
        options.layout = format.layout
        options.pointer = try pointer()
        options.idField = idField
        try withTarget { database in
            let outcome = try importAll(input, options, into: database, printer)
            try printer.line(
                summary(outcome),
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

    /// Opens the database, or makes it; the environment's storage type is for new ones alone.
    private func withTarget(_ body: (Database) throws -> Void) throws {
        var options = writing.database
        options.storageType = try type.given()
        let database: Database
        do throws(StorageError) {
            database = try Database.open(at: folder, options: options)
        } catch {
            guard error.code == .notFound else { throw error }
            options.create = true
            options.storageType = try type.forNewDatabase()
            database = try Database.open(at: folder, options: options)
        }
        try using(database, body)
    }

    private func summary(_ outcome: ImportOutcome) -> String {
        let saved = outcome.documents == 1 ? "1 document" : "\(outcome.documents) documents"
        let failed = outcome.failed == 0 ? "" : ", \(outcome.failed) failed"
        return "Imported \(saved)\(failed)."
    }
}
