internal import ArgumentParser
internal import Settee

/// `settee index rm`.
struct IndexRemoveCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove indexes: all that are named, or none.",
        discussion: "An index of a design document goes with that document."
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(help: "The indexes' names.")
    var names: [String]
    @OptionGroup var writing: WritingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        let names = names.distinctNames
        try withDatabase(writing.database) { database in
            try database.inTransaction {
                for name in names where try !database.removeIndex(name) {
                    throw StorageError(
                        .notFound,
                        "There is no index '\(name)'. `settee index ls` lists those that there are."
                    )
                }
            }
            for name in names {
                try printer.line(
                    "Removed '\(Columns.printable(name))'.",
                    json: JSONLine().string("name", name).bool("removed", true)
                )
            }
        }
    }
}
