internal import ArgumentParser
internal import Settee

/// `settee view ls`.
struct ViewListCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List the views: rows, reduce function, whether stale, definition."
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        try withDatabase(reading) { database in
            let views = try database.read { _ in
                var views: [ViewStatus] = []
                for name in try database.viewNames() {
                    if let status = try database.view(name).status() { views.append(status) }
                }
                return views
            }
            var columns = Columns(printer.output)
            for view in views {
                if printer.asJSON {
                    try printer.output.append(view.line.bytes)
                } else {
                    try columns.row(view.cells)
                }
            }
            try columns.finish()
        }
    }
}

extension ViewStatus {
    fileprivate var line: JSONLine {
        var line = JSONLine().string("name", name).number("rows", rowCount).bool("stale", isStale)
        if let reduce { line = line.string("reduce", reduce) }
        guard let definition else { return line.string("version", version) }
        return line.json("definition", definition.line.object)
    }

    fileprivate var cells: [String] {
        [
            name, "\(rowCount) rows", reduce ?? "", isStale ? "stale" : "up to date",
            definition?.arguments ?? "in a program, version \(version)",
        ]
    }
}
