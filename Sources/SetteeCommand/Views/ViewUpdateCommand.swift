internal import ArgumentParser
internal import Settee

/// `settee view update`.
struct ViewUpdateCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Bring the indexes of views up to date, in one pass over the documents.",
        discussion: """
            Only views of design documents, and views whose definitions are stored in the database, can be updated \
            here. For those of design documents settee-js is needed.
            """
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(help: "The views' names. Default: all that can be updated here.")
    var names: [String] = []
    @OptionGroup var writing: WritingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        try withDatabase(writing.database) { database in
            let names = try names.isEmpty ? known(database) : wanted(database)
            try database.updateIndexes(of: names)
            var columns = Columns(printer.output)
            for name in names {
                let status = try database.view(name).requiredStatus()
                if printer.asJSON {
                    var line = JSONLine().string("name", name).number("rows", status.rowCount)
                    if status.refusedRows > 0 { line = line.number("refusedRows", status.refusedRows) }
                    try printer.output.append(line.bytes)
                } else {
                    var cells = [name, "\(status.rowCount) rows"]
                    if status.refusedRows > 0 { cells.append("\(status.refusedRows) left out: they cannot be stored") }
                    try columns.row(cells)
                }
            }
            try columns.finish()
        }
    }

    private func known(_ database: Database) throws -> [String] {
        let designs = DesignViews(database)
        var names = try designs.names()
        for name in names { _ = try designs.set(name) }
        for name in try database.viewNames() where try database.view(name).definition() != nil { names.append(name) }
        return names.distinctNames
    }

    /// - Throws: `notFound` (404) if a view does not exist, or its map function is in a program.
    private func wanted(_ database: Database) throws -> [String] {
        let names = names.distinctNames
        let designs = DesignViews(database)
        for name in names where try !designs.set(name) {
            guard try database.view(name).requiredStatus().definition != nil else {
                throw StorageError(
                    .notFound,
                    "The map function of '\(name)' is in a program: only that one can update its index. Run it."
                )
            }
        }
        return names
    }
}
