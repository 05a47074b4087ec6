internal import ArgumentParser
internal import Settee

/// `settee resolve`.
struct ResolveCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "End a document's conflict: one revision stays, the others get tombstones.",
        discussion: """
            With --keep that revision stays; where it is the only one that is live, nothing is written. With --merge \
            the \
            body given follows the current revision, or the one that its `_rev` names. `settee get --conflicts` lists \
            the \
            revisions in question.
            """
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(help: "The document's ID. Put `--` before one that begins with a dash.")
    var id: String
    @Option(help: "The revision that stays.")
    var keep: String?
    @Option(help: "The merged body as a JSON object; `-`: standard input.")
    var merge: String?
    @OptionGroup var writing: WritingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func validate() throws {
        guard (keep == nil) != (merge == nil) else { throw ValidationError("Give either --keep or --merge.") }
    }

    func run(_ printer: Printer) throws {
        let kept = try keep.map { (text) throws(StorageError) in try RevisionID(text) }
        let merged = try merge.map { try properties($0) }
        try withDatabase(writing.database) { database in
            let document = database[id]
            if let kept { try printer.line(document.resolveConflict(keeping: kept)) }
            if let merged { try printer.line(document.resolveConflict(merging: merged)) }
        }
    }

    private func properties(_ argument: String) throws -> JSONObject {
        var text = Array(argument.utf8)
        if argument == "-" {
            // One byte over the limit is enough to produce the right message.
            text = try InputFile(path: "-").readAll(limit: JSONLimits.documentLength + 1)
        }
        guard let object = try JSONValue(parsing: text).objectValue else {
            throw StorageError(.badJSON, "A document must be a JSON object.")
        }
        return object
    }
}
