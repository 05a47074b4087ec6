internal import ArgumentParser
internal import Settee

/// `settee rm`.
struct RemoveCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Delete a document: a tombstone follows its current revision."
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(help: "The document's ID. Put `--` before one that begins with a dash.")
    var id: String
    @Option(help: "The revision to delete. Default: the current one.")
    var rev: String?
    @OptionGroup var writing: WritingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        let parent = try rev.map { (text) throws(StorageError) in try RevisionID(text) }
        try withDatabase(writing.database) { database in
            try printer.line(database[id].delete(parent: parent))
        }
    }
}
