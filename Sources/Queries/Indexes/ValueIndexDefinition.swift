public import SetteeDocumentValues
internal import SetteeExpressions
public import StorageProtocol

/// What a value index holds: the fields of documents that it is ordered by, and for which documents it has rows.
public struct ValueIndexDefinition: Sendable, Equatable {
    /// The fields, the first of them first, each with its direction. At least one, each once.
    public var fields: [FindOrder]
    /// A selector: only documents for which it holds have rows; nil: all. An index with a condition answers queries
    /// whose own condition implies it.
    public var condition: JSONObject?

    /// The maximum number of fields.
    public static let maximumFields = 32

    /// - Parameters:
    ///   - fields: what the index is ordered by.
    ///   - condition: a selector; nil: all documents have rows.
    public init(_ fields: [FindOrder], where condition: JSONObject? = nil) {
        self.fields = fields
        self.condition = condition
    }

    /// The definition as JSON, as it is stored and exported.
    ///
    /// ```json
    /// {"fields":[{"type":"asc"},{"total":"desc"}],"where":{"type":"invoice"}}
    /// ```
    public var json: JSONObject {
        var object: JSONObject = [
            "fields": .array(fields.map { .object(JSONObject([($0.field, .string($0.descending ? "desc" : "asc"))])) })
        ]
        if let condition { object["where"] = .object(condition) }
        return object
    }

    /// Reads a definition from its JSON.
    ///
    /// - Throws: `badParameter` (495) for anything that `json` does not write.
    public init(json: JSONObject) throws(StorageError) {
        guard case .array(let fields)? = json["fields"] else {
            throw StorageError(.badParameter, "An index needs `fields`, an array of names. Add it.")
        }
        self.fields = try fields.map { (field) throws(StorageError) in try FindOrder(json: field) }
        switch json["where"] {
        case nil: condition = nil
        case .object(let selector): condition = selector
        default: throw StorageError(.badParameter, "The `where` of an index is a selector, a JSON object.")
        }
    }
}

extension FindOrder {
    /// Reads `"name"` or `{"name": "asc"}`, as in CouchDB.
    ///
    /// - Throws: `badParameter` (495) for any other value.
    package init(json: JSONValue) throws(StorageError) {
        switch json {
        case .string(let name): self.init(name)
        case .object(let object):
            guard object.count == 1, let direction = object.values[0].stringValue,
                direction == "asc" || direction == "desc"
            else { fallthrough }
            self.init(object.keys[0], descending: direction == "desc")
        default:
            throw StorageError(
                .badParameter,
                "A field is its name, or an object of the name and \"asc\" or \"desc\". Correct it."
            )
        }
    }
}
