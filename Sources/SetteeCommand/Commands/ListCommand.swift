internal import ArgumentParser
internal import Settee

/// `settee ls`.
struct ListCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List documents in the order of their IDs' bytes.",
        discussion: "Rows come in batches, each of one state of the database: a slow reader holds nobody up."
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Option(help: "The first ID of the range; with --descending the highest.")
    var startKey: String?
    @Option(help: "The last ID of the range; it is included.")
    var endKey: String?
    @Option(parsing: .upToNextOption, help: "Only these IDs.")
    var keys: [String] = []
    @Option(help: "At most so many rows.")
    var limit: Int?
    @Option(help: "Leave out so many rows first.")
    var skip: Int = 0
    @Flag(help: "From the highest ID to the lowest.")
    var descending = false
    @Flag(help: "Rows with the document.")
    var includeDocs = false
    @Flag(help: "Tombstones too.")
    var includeDeleted = false
    @Flag(help: "Only documents with conflicts, with the revisions that lost.")
    var conflicts = false
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative.") }
        if skip < 0 { throw ValidationError("--skip must not be negative.") }
        if !keys.isEmpty, startKey != nil || endKey != nil {
            throw ValidationError("--keys cannot be combined with --start-key and --end-key.")
        }
    }

    func run(_ printer: Printer) throws {
        var query = DocumentQuery(
            startKey: startKey,
            endKey: endKey,
            limit: limit,
            skip: skip,
            descending: descending,
            includeDeleted: includeDeleted,
            onlyConflicts: conflicts,
            includeBodies: includeDocs
        )
        if !keys.isEmpty { query.keys = keys.flatMap(ProgramArguments.keys) }
        try withDatabase(reading) { database in
            var columns = Columns(printer.output)
            try database.allDocuments(query).forEach { row in
                let losers = conflicts ? try losers(of: row, in: database) : []
                if printer.asJSON {
                    var line = JSONLine().string("id", row.documentID.string).string("rev", row.revisionID.string)
                    if row.isDeleted { line = line.bool("deleted", true) }
                    if conflicts { line = line.strings("conflicts", losers) }
                    try printer.output.append(line.with(row).bytes)
                } else {
                    var cells = [row.documentID.string, row.revisionID.string]
                    if includeDeleted { cells.append(row.isDeleted ? "deleted" : "") }
                    try columns.row(cells + losers, document: row)
                }
            }
            try columns.finish()
        }
    }

    /// Returns the other current revisions. The one that would win next comes first.
    private func losers(of row: DocumentRow, in database: Database) throws(StorageError) -> [String] {
        guard let tree = try database.revisionTree(of: row.documentID) else { return [] }
        return tree.leaves.filter { !$0.isDeleted && $0.id != tree.winner?.id }.map(\.id.string)
    }
}

extension JSONLine {
    /// Returns the line with the row's document, if the row has it.
    consuming func with(_ row: DocumentRow) throws(StorageError) -> JSONLine {
        guard let revision = row.revision else { return self }
        return json("doc", try revision.annotatedProperties.canonicalBytes())
    }
}

extension Columns {
    /// Prints a row, followed by its document, if the row has it.
    mutating func row(_ cells: [String], document row: DocumentRow) throws(StorageError) {
        guard let json = row.json else { return try self.row(cells) }
        try self.row(cells + [String(decoding: json, as: UTF8.self)])
    }
}
