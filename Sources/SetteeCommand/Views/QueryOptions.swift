internal import ArgumentParser
internal import Settee

/// The options of a query of a view.
struct QueryOptions: ParsableArguments {
    /// When the index is brought up to date.
    enum Updating: String, ExpressibleByArgument, CaseIterable {
        case before, never, after
    }

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The first key, as JSON; with --descending the highest.", valueName: "json"),
        transform: QueryKey.parse
    )
    var startKey: JSONValue?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The last key, as JSON; it is included.", valueName: "json"),
        transform: QueryKey.parse
    )
    var endKey: JSONValue?
    @Option(parsing: .unconditional, help: ArgumentHelp("Where rows of --start-key begin.", valueName: "id"))
    var startKeyDocId: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("Where rows of --end-key end.", valueName: "id"))
    var endKeyDocId: String?
    @Flag(help: "Without the rows at the start itself.")
    var exclusiveStart = false
    @Flag(help: "Without the rows at the end itself.")
    var exclusiveEnd = false
    @Option(help: ArgumentHelp("Only these keys, a JSON array.", valueName: "json"), transform: QueryKey.parseList)
    var keys: [JSONValue]?
    @Flag(help: "From the highest key to the lowest.")
    var descending = false
    @Option(help: "At most so many rows.")
    var limit: Int?
    @Option(help: "Leave out so many rows first.")
    var skip: Int = 0
    @Option(
        help: ArgumentHelp(
            "Take in keys that begin with the upper end of the range.",
            discussion: "1: that string, or that array; 2: arrays whose last element begins so; and so on.",
            valueName: "level"
        )
    )
    var prefixMatchLevel: Int = 0
    @Flag(help: "One row for each key.")
    var group = false
    @Option(help: ArgumentHelp("One row for each beginning of array keys of so many elements.", valueName: "elements"))
    var groupLevel: Int = 0
    @Flag(
        name: [.customLong("map-only"), .customLong("no-reduce")],
        help: "The rows as they were emitted, though the view has a reduce function."
    )
    var mapOnly = false
    @Flag(help: "Rows with the document.")
    var includeDocs = false
    @Option(
        help: """
            When the index is brought up to date: before the query, never, or after it. Default: before, where the \
            definition is stored in the database, else never.
            """
    )
    var update: Updating?

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative.") }
        if skip < 0 { throw ValidationError("--skip must not be negative.") }
        if prefixMatchLevel < 0 { throw ValidationError("--prefix-match-level must not be negative.") }
        if groupLevel < 0 { throw ValidationError("--group-level must not be negative.") }
        if keys != nil, startKey != nil || endKey != nil {
            throw ValidationError("--keys cannot be combined with --start-key and --end-key.")
        }
        if startKeyDocId != nil, startKey == nil { throw ValidationError("--start-key-doc-id needs --start-key.") }
        if endKeyDocId != nil, endKey == nil { throw ValidationError("--end-key-doc-id needs --end-key.") }
        if mapOnly, group || groupLevel > 0 {
            throw ValidationError("--map-only cannot be combined with --group and --group-level.")
        }
    }

    /// Returns the query of a view, without its update mode.
    func query(_ view: DatabaseView) -> DatabaseQuery {
        var query = view.query()
        query.startKey = startKey
        query.endKey = endKey
        query.startKeyDocID = startKeyDocId.map { DocumentID(unchecked: $0) }
        query.endKeyDocID = endKeyDocId.map { DocumentID(unchecked: $0) }
        query.inclusiveStart = !exclusiveStart
        query.inclusiveEnd = !exclusiveEnd
        query.keys = keys
        query.descending = descending
        query.limit = limit
        query.skip = skip
        query.prefixMatchLevel = prefixMatchLevel
        query.mapOnly = mapOnly
        query.group = group
        query.groupLevel = groupLevel
        query.includeDocs = includeDocs
        return query
    }
}
