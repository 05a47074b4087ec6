internal import ArgumentParser
internal import Settee

/// `settee detach`.
struct DetachCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "detach",
        abstract: "Remove an attachment from a document."
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(help: "The document's ID. Put `--` before one that begins with a dash.")
    var id: String
    @Argument(help: "The attachment's name.")
    var name: String
    @Option(help: "The revision that the new one follows.")
    var rev: String?
    @OptionGroup var writing: WritingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        let parent = try rev.map { (text) throws(StorageError) in try RevisionID(text) }
        try withDatabase(writing.database) { database in
            let document = database[id]
            let saved: SavedRevision?
            if let parent {
                saved = try document.removeAttachment(named: name, parent: parent)
            } else {
                _ = try document.read()
                saved = try document.removeAttachment(named: name)
            }
            guard let saved else { throw StorageError.noAttachment }
            try printer.line(saved)
        }
    }
}

extension StorageError {
    static var noAttachment: StorageError {
        StorageError(.notFound, "The document has no attachment of this name. `settee get` prints their names.")
    }
}
