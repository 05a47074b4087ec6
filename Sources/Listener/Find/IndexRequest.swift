internal import Crypto
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeQueries
internal import StorageProtocol

/// What POST of `_index` asks for, in CouchDB's options and with its refusals.
///
/// Facts: CouchDB 3.4, src/mango/src/mango_opts.erl, mango_idx.erl and mango_idx_view.erl.
struct IndexRequest: Sendable {
    /// The ID of the design document.
    let design: String
    /// The name of the view in it.
    let name: String
    /// The view, as CouchDB writes it.
    let view: JSONObject

    /// - Throws: 400, with the name of the member; 501 for other indexes than those of values.
    init(_ body: JSONObject) throws(CouchError) {
        var members = MangoMembers(body)
        let index = try members.require("index")
        let type = try members.text("type") ?? "json"
        let name = try members.text("name")
        let design = try members.text("ddoc")
        _ = try members.integer("w", from: 1)
        let isPartitioned = try members.flag("partitioned") ?? false
        try members.requireEnd()
        switch type {
        case "json": break
        case "text", "nouveau": throw CouchError(501, "index_not_implemented", "Indexes of text are not implemented.")
        default: throw .mango("invalid_index", "Invalid type for index: \(type)")
        }
        guard !isPartitioned else {
            throw CouchError(501, "index_not_implemented", "Partitioned indexes are not implemented.")
        }
        guard let given = index.objectValue else {
            throw .mango("invalid_index", "JSON indexes must be an object: `index` is none.")
        }
        view = try IndexRequest.view(given)
        let hash = IndexRequest.hash(body)
        self.name = name ?? hash
        self.design = IndexRequest.designID(design ?? hash)
        guard !self.name.isEmpty, design?.isEmpty != true, self.design != "_design/",
            QueryDesign.isUsable(QueryDesign.name(self.design, self.name))
        else {
            throw .mango(
                "invalid_index_name",
                "Invalid index name: `ddoc` and `name` have at most \(QueryDesign.longestNames) bytes together, and "
                    + "neither is empty."
            )
        }
    }

    static func designID(_ name: String) -> String { name.hasPrefix("_design/") ? name : "_design/" + name }

    private static func view(_ given: JSONObject) throws(CouchError) -> JSONObject {
        var members = MangoMembers(given)
        let fields = try MangoMembers.order(members.require("fields"), "index.fields")
        let condition = try members.take("partial_filter_selector").map { (value) throws(CouchError) in
            try FindRequest.selector(value, "`partial_filter_selector`").json
        }
        try members.requireEnd()
        do throws(StorageError) {
            try ValueIndexDefinition(fields, where: condition).check()
        } catch {
            throw .mango("invalid_index", error.message)
        }
        let directions = JSONObject(fields.map { ($0.field, $0.descending ? "desc" : "asc") })
        return [
            "map": [
                "fields": .object(directions),
                "partial_filter_selector": .object(SelectorNormalForm.of(condition ?? [:])),
            ], "reduce": "_count", "options": ["def": .object(given)],
        ]
    }

    /// Another name for each request, the same in every process. CouchDB's is a hash of Erlang's own terms.
    private static func hash(_ body: JSONObject) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = SHA256.hash(data: (try? body.canonicalBytes()) ?? []).prefix(20)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension DefinedIndex {
    /// The index as CouchDB lists it.
    var json: JSONValue {
        var definition = definition.json
        definition["partial_filter_selector"] = definition["where"]
        definition["where"] = nil
        return [
            "ddoc": design.map { .string($0) } ?? .null, "name": .string(view), "type": "json", "partitioned": false,
            "def": .object(definition),
        ]
    }

    /// The order of the documents' IDs, as CouchDB lists it.
    static let allDocuments: JSONValue = [
        "ddoc": nil, "name": "_all_docs", "type": "special", "def": ["fields": [["_id": "asc"]]],
    ]
}
