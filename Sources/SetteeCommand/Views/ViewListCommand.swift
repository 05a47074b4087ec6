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
                let names = try DesignViews(database).names()
                let designs = Set(names.map { [UInt8]($0.utf8) })
                var views: [ListedView] = []
                for name in (try database.viewNames() + names).distinctNames {
                    let isOfDesign = designs.contains([UInt8](name.utf8))
                    let status = try database.view(name).status()
                    if isOfDesign || status != nil {
                        views.append(ListedView(name: name, status: status, isOfDesign: isOfDesign))
                    }
                }
                return views.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
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

private struct ListedView {
    var name: String
    /// Nil: its functions were never set.
    var status: ViewStatus?
    /// Whether a design document has it.
    var isOfDesign: Bool

    private var rowCount: UInt64 { status?.rowCount ?? 0 }
    private var isStale: Bool { status?.isStale ?? true }

    var line: JSONLine {
        var line = JSONLine().string("name", name).number("rows", rowCount).bool("stale", isStale)
        if let reduce = status?.reduce { line = line.string("reduce", reduce) }
        if isOfDesign { return line.bool("design", true) }
        if let definition = status?.definition { return line.json("definition", definition.line.object) }
        return line.string("version", status?.version ?? "")
    }

    var cells: [String] {
        let origin =
            isOfDesign
            ? "in a design document"
            : status?.definition?.arguments ?? "in a program, version \(status?.version ?? "")"
        return [
            name, "\(rowCount) rows", status?.reduce ?? "", isStale ? "stale" : "up to date", origin,
        ]
    }
}
