internal import ArgumentParser
internal import Settee

/// `settee put`.
struct PutCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Save a revision of a document.",
        discussion: """
            The new revision follows --rev, or the body's `_rev`. With neither the document must be new or deleted; on \
            a \
            live one it is a conflict (409).
            """
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(help: "The document's ID. Put `--` before one that begins with a dash.")
    var id: String
    @Argument(help: "The body as a JSON object; `-` or nothing: standard input.")
    var json: String?
    @Option(help: "The revision that the new one follows.")
    var rev: String?
    @OptionGroup var writing: WritingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        let parent = try rev.map { (text) throws(StorageError) in try RevisionID(text) }
        var body: [UInt8]
        if let json, json != "-" {
            body = Array(json.utf8)
        } else {
            // One byte over the limit is enough to produce the right message.
            body = try InputFile(path: "-").readAll(limit: JSONLimits.documentLength + 1)
        }
        try withDatabase(writing.database) { database in
            let saved = try database[id].put(json: unsafe body.span.bytes, parent: parent)
            try printer.line(saved)
        }
    }
}

extension Printer {
    /// Prints a document's ID and the ID of its revision.
    func line(_ revision: SavedRevision) throws(StorageError) {
        try line(
            "\(Columns.printable(revision.documentID.string)) \(revision.id.string)",
            json: JSONLine().string("id", revision.documentID.string).string("rev", revision.id.string)
        )
    }
}
