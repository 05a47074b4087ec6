internal import ArgumentParser
internal import Settee

/// `settee index ls`.
struct IndexListCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List the indexes: rows, whether stale, definition."
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        try withDatabase(reading) { database in
            var columns = Columns(printer.output)
            for index in try database.indexes() {
                if printer.asJSON {
                    let line = JSONLine().string("name", index.name).number("rows", index.rowCount)
                        .bool("stale", index.isStale).json("definition", try index.definition.json.canonicalBytes())
                    try printer.output.append(line.bytes)
                } else {
                    try columns.row([
                        index.name, "\(index.rowCount) rows", index.isStale ? "stale" : "up to date",
                        try index.definition.arguments,
                    ])
                }
            }
            try columns.finish()
        }
    }
}

extension ValueIndexDefinition {
    /// The options of `settee index create` that create it.
    fileprivate var arguments: String {
        get throws(StorageError) {
            let fields = "--on \(ShellText.quoted(FieldList.text(fields)))"
            guard let condition else { return fields }
            let text = String(decoding: try condition.canonicalBytes(), as: UTF8.self)
            return "\(fields) --where \(ShellText.quoted(text))"
        }
    }
}
