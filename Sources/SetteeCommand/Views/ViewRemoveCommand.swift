internal import ArgumentParser
internal import Settee

/// `settee view rm`.
struct ViewRemoveCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove views with their indexes and definitions: all that are named, or none.",
        discussion: "A view whose map function is in a program comes back when that program sets it again."
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(help: "The views' names.")
    var names: [String]
    @OptionGroup var writing: WritingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        let names = names.distinctNames
        try withDatabase(writing.database) { database in
            try database.inTransaction {
                for name in names {
                    let view = database.view(name)
                    _ = try view.requiredStatus()
                    try view.delete()
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
