internal import ArgumentParser
internal import Settee

/// `settee view define`.
struct ViewDefineCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "define",
        abstract: "Store a view's definition in the database.",
        discussion: """
            A document has one row where all conditions hold and the key is there. Several --key make an array, with \
            null \
            for what a document lacks. What the view was before is replaced.

            Conditions compare a JSON pointer with a JSON literal by ==, !=, <, <=, > or >=, joined by `and`: \
            --where '/type == "book" and /year >= 1950'.
            """
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(help: "The view's name.")
    var name: String
    @Option(
        name: .customLong("key"),
        help: ArgumentHelp(
            "Where the key stands in a document, as /author; may be repeated. /_id: the document's ID.",
            valueName: "pointer"
        ),
        transform: ViewDefineCommand.pointer
    )
    var keys: [JSONPointer]
    @Option(
        help: ArgumentHelp(
            "Where the value stands; '': the whole document. Without it rows have none.",
            valueName: "pointer"
        ),
        transform: ViewDefineCommand.pointer
    )
    var value: JSONPointer?
    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("What must hold of a document; may be repeated.", valueName: "conditions"),
        transform: ViewDefineCommand.conditions
    )
    var conditions: [[ViewDefinition.Condition]] = []
    @Option(
        name: .customLong("require"),
        help: ArgumentHelp("What must be there, be it null; may be repeated.", valueName: "pointer"),
        transform: ViewDefineCommand.pointer
    )
    var required: [JSONPointer] = []
    @Option(help: "Only documents whose `type` is this.")
    var type: String?
    @Option(help: "A built-in reduce function: _count, _sum, _stats, _average or _approx_count_distinct.")
    var reduce: String?
    @Flag(help: "Order strings by their bytes, and types as CouchDB's raw collation does.")
    var raw = false
    @OptionGroup var writing: WritingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        let definition = ViewDefinition(
            keys: keys,
            value: value,
            conditions: conditions.flatMap { $0 },
            documentType: type,
            reduce: reduce,
            collation: raw ? .raw : .unicode,
            requiredPlaces: required
        )
        try withDatabase(writing.database) { database in
            let view = database.view(name)
            let isSame = try view.definition() == definition
            let isNew = try view.define(definition)
            let text = "'\(Columns.printable(name))'"
            let outcome =
                if isNew {
                    "Defined \(text). Its index is built when it is queried, or by `settee view update`."
                } else if isSame {
                    "\(text) is defined so already."
                } else {
                    "Defined \(text). Its index stays as it is."
                }
            try printer.line(
                outcome,
                json: JSONLine().string("name", name).bool("isNew", isNew).json("definition", definition.line.object)
            )
        }
    }

    private static func pointer(_ text: String) throws -> JSONPointer {
        do throws(StorageError) {
            return try JSONPointer(text)
        } catch {
            throw ValidationError(error.message)
        }
    }

    private static func conditions(_ text: String) throws -> [ViewDefinition.Condition] {
        do throws(StorageError) {
            return try ViewDefinition.conditions(parsing: text)
        } catch {
            throw ValidationError(error.message)
        }
    }
}
