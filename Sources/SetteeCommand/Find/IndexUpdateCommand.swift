internal import ArgumentParser
internal import Settee

/// `settee index update`.
struct IndexUpdateCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Bring indexes up to date.",
        discussion: "`find` does so itself where an index lacks much."
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(help: "The indexes' names. Default: all.")
    var names: [String] = []
    @OptionGroup var writing: WritingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        try withDatabase(writing.database) { database in
            let wanted = try names.isEmpty ? database.indexes().map(\.name) : names.distinctNames
            try database.updateIndexes(named: wanted)
            let known = Set(wanted.map { [UInt8]($0.utf8) })
            var columns = Columns(printer.output)
            for index in try database.indexes() where known.contains([UInt8](index.name.utf8)) {
                if printer.asJSON {
                    try printer.output.append(
                        JSONLine().string("name", index.name).number("rows", index.rowCount).bytes
                    )
                } else {
                    try columns.row([index.name, "\(index.rowCount) rows"])
                }
            }
            try columns.finish()
        }
    }
}
