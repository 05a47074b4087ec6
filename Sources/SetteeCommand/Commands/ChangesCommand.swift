internal import ArgumentParser
internal import Settee

/// `settee changes`.
struct ChangesCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes",
        abstract: "List what changed, in the order of sequences: each document once, tombstones included.",
        discussion: "With --follow it goes on with what is committed later, by any process, until it is interrupted."
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Option(help: "Only changes behind this sequence.")
    var since: UInt64 = 0
    @Option(help: "At most so many rows.")
    var limit: Int?
    @Flag(help: "From the latest change to the first.")
    var descending = false
    @Flag(help: "Rows with the document.")
    var includeDocs = false
    @Flag(help: "Go on with the changes to come, purges too. An interrupt ends it.")
    var follow = false
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative.") }
        if follow, descending { throw ValidationError("--follow and --descending exclude each other.") }
    }

    func run(_ printer: Printer) throws {
        try withDatabase(reading) { database in
            if follow {
                let printing = ChangePrinting(printer, includesDocuments: includeDocs, limit: limit)
                try ChangeFollower(database, since: since, printing).run()
            } else {
                try list(database, printer)
            }
        }
    }

    private func list(_ database: Database, _ printer: Printer) throws {
        let changes = database.changes(since: since, limit: limit, descending: descending, includeDocs: includeDocs)
        var columns = Columns(printer.output)
        try changes.forEach { row in
            if printer.asJSON {
                try printer.output.append(
                    JSONLine(change: row.sequence, row.documentID, row.revisionID, isDeleted: row.isDeleted)
                        .with(row).bytes
                )
            } else {
                var cells = ["\(row.sequence)", row.documentID.string, row.revisionID.string]
                if row.isDeleted { cells.append("deleted") }
                try columns.row(cells, document: row)
            }
        }
        try columns.finish()
    }
}

extension JSONLine {
    /// The members that every change has.
    init(change sequence: UInt64, _ id: DocumentID, _ revision: RevisionID, isDeleted: Bool) {
        self = JSONLine().number("seq", sequence).string("id", id.string).string("rev", revision.string)
        if isDeleted { self = bool("deleted", true) }
    }
}
