internal import ArgumentParser
internal import Settee

/// `settee cat-attachment`.
struct CatAttachmentCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "cat-attachment",
        abstract: "Print an attachment's content, byte by byte, whatever --json says."
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(help: "The document's ID. Put `--` before one that begins with a dash.")
    var id: String
    @Argument(help: "The attachment's name.")
    var name: String
    @Option(help: "That of this revision instead of the current one.")
    var rev: String?
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        let wanted = try rev.map { (text) throws(StorageError) in try RevisionID(text) }
        try withDatabase(reading) { database in
            let reader = try database.read { _ in
                let revision = try revision(wanted, in: database)
                guard let attachment = try revision.attachment(named: name) else { throw StorageError.noAttachment }
                return try attachment.openReader()
            }
            while true {
                let piece = try reader.read(upTo: 1 << 18)
                if piece.isEmpty { return }
                try printer.output.append(piece)
            }
        }
    }

    private func revision(_ wanted: RevisionID?, in database: Database) throws(StorageError) -> SavedRevision {
        guard let wanted else { return try database[id].read() }
        guard let revision = try database.revision(wanted, of: database[id].documentID()) else {
            throw StorageError(.notFound, "The document has no such revision, or its body is gone.")
        }
        return revision
    }
}
