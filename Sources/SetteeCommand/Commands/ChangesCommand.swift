internal import ArgumentParser
internal import Settee

/// `settee changes`.
struct ChangesCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes",
        abstract: "List what changed, in the order of sequences: each document once, tombstones included."
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
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative.") }
    }

    func run(_ printer: Printer) throws {
        let query = ChangesQuery(since: since, limit: limit, descending: descending, includeBodies: includeDocs)
        try withDatabase(reading.database) { database in
            var columns = Columns(printer.output)
            try database.changes(query).forEach { row in
                if printer.asJSON {
                    var line = JSONLine().number("seq", row.sequence).string("id", row.documentID.string)
                        .string("rev", row.revisionID.string)
                    if row.isDeleted { line = line.bool("deleted", true) }
                    try printer.output.append(line.with(row).bytes)
                } else {
                    var cells = ["\(row.sequence)", row.documentID.string, row.revisionID.string]
                    if row.isDeleted { cells.append("deleted") }
                    try columns.row(cells, document: row)
                }
            }
            try columns.finish()
        }
    }
}
