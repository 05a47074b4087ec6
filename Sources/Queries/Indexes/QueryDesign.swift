internal import SetteeDocumentValues
internal import SetteeIndexes
internal import StorageProtocol

/// The indexes of a design document whose language is "query": the form in which CouchDB stores what is made with
/// `_index`.
///
/// ```json
/// {"language":"query","views":{"by-total":{"map":{"fields":{"total":"asc"},"partial_filter_selector":{}},
///  "reduce":"_count","options":{"def":{"fields":["total"]}}}}}
/// ```
package enum QueryDesign {
    package static let language = "query"
    package static let idPrefix = "_design/"

    /// Where design documents are.
    static let range = ByteRange(
        lower: .including(Array("_design/".utf8)),
        upper: .excluding(Array("_design0".utf8))
    )

    /// Whether a text has the member `"language":"query"` somewhere: others need not be parsed.
    static func isLikely(_ body: [UInt8]) -> Bool { body.contains(#""language":"query""#.utf8) }

    /// The name of an index of a design document: its ID, and the name of the view.
    package static func name(_ id: String, _ view: String) -> String { "\(id)/\(view)" }

    /// How many bytes the names of a design document and a view have together at most.
    package static let longestNames = IndexName.maximumLength - idPrefix.utf8.count - 1

    /// Whether an index can have a name.
    package static func isUsable(_ name: String) -> Bool { (try? IndexName(name, of: ValueIndexKind())) != nil }

    /// The usable indexes. Others, such as text indexes, are left out.
    static func indexes(_ id: String, _ body: [UInt8]) -> [ValueIndex] {
        guard case .object(let members)? = try? JSONValue(parsing: body), members["language"]?.stringValue == language,
            case .object(let views)? = members["views"]
        else { return [] }
        var indexes: [ValueIndex] = []
        for (name, view) in views {
            // Names of design documents and views may be of any length. Where both are too long, queries do without.
            guard let definition = definition(view),
                let index = try? ValueIndex(self.name(id, name), definition, view: (id, name)), isUsable(index.name)
            else { continue }
            indexes.append(index)
        }
        return indexes
    }

    /// The order of the fields is that of `options.def.fields`, because members of objects have none here.
    private static func definition(_ view: JSONValue) -> ValueIndexDefinition? {
        guard case .object(let map)? = view["map"], case .object(let directions)? = map["fields"] else { return nil }
        var fields: [FindOrder] = []
        let defined = view["options"]?["def"]?["fields"]?.arrayValue
        for field in defined ?? [] {
            guard let order = try? FindOrder(json: field) else { return nil }
            fields.append(order)
        }
        if defined == nil {
            for (name, direction) in directions {
                fields.append(FindOrder(name, descending: direction.stringValue == "desc"))
            }
        }
        var condition: JSONObject?
        if case .object(let selector)? = map["partial_filter_selector"], !selector.isEmpty { condition = selector }
        return ValueIndexDefinition(fields, where: condition)
    }
}
