internal import ArgumentParser
internal import Settee

/// `settee purge`.
struct PurgeCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Remove every trace of a document from this database, as if it had never been."
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(help: "The document's ID. Put `--` before one that begins with a dash.")
    var id: String
    @OptionGroup var writing: WritingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        try withDatabase(writing.database) { database in
            guard try database[id].purge() else {
                throw StorageError(.notFound, "There is no document of this ID: there is nothing to purge.")
            }
            try printer.line(
                "\(Columns.printable(id)) purged",
                json: JSONLine().string("id", id).bool("purged", true)
            )
        }
    }
}
