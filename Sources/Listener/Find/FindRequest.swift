internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeExpressions
internal import SetteeIndexes
internal import SetteeQueries
internal import StorageProtocol

/// What `_find` and `_explain` are asked, in CouchDB's options and with its refusals.
struct FindRequest: Sendable {
    let selector: JSONObject
    /// The same, compiled.
    let compiled: MangoSelector
    /// The name of a design document without `_design/`, or that and the name of an index; empty: any index.
    let useIndex: [String]
    let allowsFallback: Bool
    /// As it came; nil: the first page.
    let bookmark: String?
    let limit: Int
    let skip: Int
    let sort: [FindOrder]
    /// Empty: whole documents.
    let fields: [String]
    let includesConflicts: Bool
    let wantsStatistics: Bool
    /// What means nothing here, and is shown by `_explain`: indexes are always up to date, and there is one copy.
    let unused: JSONObject

    static let defaultLimit = 25

    /// - Throws: 400, with the name of the member.
    /// - Parameter cancellation: ends the reading of a long selector.
    init(_ body: JSONObject, _ cancellation: Cancellation) throws(CouchError) {
        var members = MangoMembers(body)
        (selector, compiled) = try FindRequest.selector(members.require("selector"), "Selector", cancellation)
        useIndex = try FindRequest.indexName(members.take("use_index"))
        allowsFallback = try members.flag("allow_fallback") ?? true
        bookmark = try FindRequest.bookmark(members.take("bookmark"))
        limit = try members.integer("limit", from: 0) ?? FindRequest.defaultLimit
        skip = try members.integer("skip", from: 0) ?? 0
        sort =
            try members.take("sort").map { (value) throws(CouchError) in
                try MangoMembers.order(value, "sort")
            } ?? []
        fields = try FindRequest.fields(members.take("fields"))
        includesConflicts = try members.flag("conflicts") ?? false
        wantsStatistics = try members.flag("execution_stats") ?? false
        switch members.take("partition") {
        case nil, "": break
        default: throw .notImplemented("Partitioned queries are not implemented.")
        }
        unused = [
            "r": .int(Int64(try FindRequest.copies(members.take("r")))),
            "stale": .bool(try FindRequest.staleness(members.take("stale"))),
            "update": .bool(try members.flag("update") ?? true), "stable": .bool(try members.flag("stable") ?? false),
            "partition": "",
        ]
        try members.requireEnd()
    }

    static func selector(
        _ value: JSONValue,
        _ name: String,
        _ cancellation: Cancellation = Cancellation()
    ) throws(CouchError) -> (json: JSONObject, compiled: MangoSelector) {
        guard let selector = value.objectValue else {
            throw .mango("invalid_selector_json", "\(name) must be a JSON object.")
        }
        do throws(StorageError) {
            let compiled = try MangoSelector(value) { () throws(StorageError) in try cancellation.check() }
            return (selector, compiled)
        } catch {
            throw CouchError(selector: error)
        }
    }

    private static func indexName(_ value: JSONValue?) throws(CouchError) -> [String] {
        var parts: [String]
        switch value {
        case nil, .null: return []
        case .string(let name):
            parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            if parts.count > 1, parts[0] == "_design" { parts.removeFirst() }
        case .array(let names):
            parts = names.compactMap(\.stringValue)
            guard parts.count == names.count else { throw invalidIndexName }
            if let design = parts.first, design.hasPrefix("_design/") { parts[0] = String(design.dropFirst(8)) }
        default: throw invalidIndexName
        }
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else { throw invalidIndexName }
        return parts
    }

    private static let invalidIndexName = CouchError.mango(
        "invalid_index_name",
        "Invalid index name: `use_index` is the name of a design document, or an array of that and an index's name."
    )

    private static func bookmark(_ value: JSONValue?) throws(CouchError) -> String? {
        switch value {
        case nil, .null, "", "nil": return nil
        case .string(let text): return text
        default: throw .invalidBookmark("it is a string.")
        }
    }

    private static func fields(_ value: JSONValue?) throws(CouchError) -> [String] {
        guard let value else { return [] }
        guard let names = value.arrayValue else {
            throw .mango("invalid_fields", "Fields must be an array of strings.")
        }
        var fields: [String] = []
        for (place, name) in names.enumerated() {
            guard let name = name.stringValue else {
                throw .mango("invalid_field", "Invalid JSON for field spec: `fields[\(place)]` is no string.")
            }
            fields.append(name)
        }
        return fields
    }

    /// Clients send the number as text, too.
    private static func copies(_ value: JSONValue?) throws(CouchError) -> Int {
        guard let value else { return 1 }
        let number = value.intValue ?? value.stringValue.flatMap { Int64($0) }
        guard let number, number > 0 else {
            throw .mango("invalid_pos_integer", "`r` is not an integer greater than zero")
        }
        return Int(number)
    }

    private static func staleness(_ value: JSONValue?) throws(CouchError) -> Bool {
        switch value {
        case nil, "false", false: false
        case "ok": true
        default: throw .mango("invalid_ok_or_false_value", "Invalid value for stale: it is \"ok\" or false.")
        }
    }
}
