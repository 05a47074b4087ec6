internal import ArgumentParser
internal import Settee

/// `settee index create`.
struct IndexCreateCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create an index, or replace the one with this name.",
        discussion: """
            Fields that are compared with one value come first, then the one that is compared with a range or gives the \
            order: --on type,-total serves '{"type":"invoice","total":{"$gte":100}}' and --sort type,-total.
            """
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(help: "The index's name.")
    var name: String
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The fields; with a dash before one that descends.", valueName: "a,-b"),
        transform: FieldList.orders
    )
    var on: [FindOrder]
    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("Only documents for which this selector holds have rows.", valueName: "selector"),
        transform: SelectorArgument.parse(option:)
    )
    var condition: JSONObject?
    @OptionGroup var writing: WritingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        let definition = ValueIndexDefinition(on, where: condition)
        try withDatabase(writing.database) { database in
            let isNew = try SelectorArgument.check { () throws(StorageError) in
                try database.createIndex(name, definition)
            }
            let json = try definition.json.canonicalBytes()
            let text = "'\(Columns.printable(name))'"
            try printer.line(
                isNew
                    ? "Created \(text). It is built by the first query that uses it, or by `settee index update`."
                    : "\(text) is defined so already.",
                json: JSONLine().string("name", name).bool("isNew", isNew).json("definition", json)
            )
        }
    }
}
