internal import ArgumentParser
internal import Settee

/// `settee attach`.
struct AttachCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Attach a file to a document, in the place of an attachment of this name.",
        discussion: """
            The new revision follows --rev, or the current one. A document that is missing or deleted is made, with \
            nothing \
            but the attachment.
            """
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(help: "The document's ID. Put `--` before one that begins with a dash.")
    var id: String
    @Argument(help: "The attachment's name.")
    var name: String
    @Argument(help: "The file to attach; `-`: standard input.", completion: .file())
    var file: String
    @Option(help: "What kind of content it is, such as image/jpeg.")
    var contentType: String?
    @Option(help: "The revision that the new one follows.")
    var rev: String?
    @OptionGroup var writing: WritingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        let parent = try rev.map { (text) throws(StorageError) in try RevisionID(text) }
        let input = try InputFile(path: file)
        try withDatabase(writing.database) { database in
            let document = database[id]
            let source = AttachmentSource.pieces { try input.read() }
            let saved: SavedRevision
            if let parent {
                saved = try document.setAttachment(
                    named: name,
                    contentType: contentType,
                    content: source,
                    parent: parent
                )
            } else {
                saved = try document.setAttachment(named: name, contentType: contentType, content: source)
            }
            try printer.line(saved)
        }
    }
}
