internal import ArgumentParser
internal import Settee

/// `settee find`.
struct FindCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Print the documents for which a selector holds.",
        discussion: """
            A selector is a JSON object in CouchDB's query language (Mango): '{"type":"invoice","total":{"$gte":100}}'. \
            '{}' holds for all documents. An index that helps is used (`settee index create`); without one, all \
            documents are read. The result is the same; --explain tells which it is.

            A table on a terminal, else a document a line.

            With --follow it goes on with documents that are found later, or change, and with \
            {"_id":ID,"_removed":true} for those that are no longer found, until it is interrupted.
            """
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(help: "What must hold for a document, as JSON; `-`: from standard input.")
    var selector: String
    @Option(
        help: ArgumentHelp("Only these members: paths with points, separated by commas.", valueName: "a,b.c"),
        transform: FieldList.paths
    )
    var fields: [String]?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The order of the rows; with a dash before a field from high to low.", valueName: "a,-b"),
        transform: FieldList.orders
    )
    var sort: [FindOrder] = []
    @Option(help: "At most so many documents.")
    var limit: Int?
    @Option(help: "Leave out so many documents first.")
    var skip: Int = 0
    @Option(help: "Use no other index than this.")
    var useIndex: String?
    @Flag(help: "Print how the documents would be found, and why each other index is not used.")
    var explain = false
    @Flag(help: "Go on with the documents that come, change and go. An interrupt ends it.")
    var follow = false
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative.") }
        if skip < 0 { throw ValidationError("--skip must not be negative.") }
        if explain, follow { throw ValidationError("--explain and --follow exclude each other.") }
        if selector != "-" { _ = try SelectorArgument.parse(Array(selector.utf8)) }
    }

    func run(_ printer: Printer) throws {
        let selector = try selector == "-" ? givenSelector() : SelectorArgument.parse(Array(selector.utf8))
        try withDatabase(reading) { database in
            var query = try SelectorArgument.check { () throws(StorageError) in
                try database.find(selector, fields: fields, sort: sort, limit: limit, skip: skip)
            }
            query.useIndex = useIndex
            // Paths are checked when the query is planned.
            let explanation = try SelectorArgument.check { () throws(StorageError) in try query.explain() }
            if explain, printer.asJSON {
                try printer.line(bytes: explanation.json.canonicalBytes())
            } else if explain {
                try printer.output.append(explanation.description + "\n")
            } else if follow {
                try FindFollower.run(query, printer)
            } else {
                try list(query, printer)
            }
        }
    }

    private func givenSelector() throws -> JSONObject {
        // One byte over the limit is enough to produce the right message.
        try SelectorArgument.parse(InputFile(path: "-").readAll(limit: JSONLimits.documentLength + 1))
    }

    private func list(_ query: FindQuery, _ printer: Printer) throws {
        let asTable = !printer.asJSON && Terminal.isOutput
        var columns = Columns(printer.output)
        try query.forEach { row in
            let text = try row.properties.canonicalBytes()
            if asTable {
                try columns.row([row.documentID.string, String(decoding: text, as: UTF8.self)])
            } else {
                try printer.line(bytes: text)
            }
        }
        try columns.finish()
    }
}
