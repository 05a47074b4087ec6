internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeQueries

/// The members of a body that asks in CouchDB's query language: each is read once, and none may be left. Nothing of it
/// comes in the query of a URL.
///
/// Facts: CouchDB 3.4, src/mango/src/mango_opts.erl, mango_sort.erl and mango_error.erl.
struct MangoMembers {
    private var rest: JSONObject

    init(_ members: JSONObject) { rest = members }

    mutating func take(_ name: String) -> JSONValue? {
        guard let value = rest[name] else { return nil }
        rest[name] = nil
        return value
    }

    /// - Throws: `missing_required_key` (400).
    mutating func require(_ name: String) throws(CouchError) -> JSONValue {
        guard let value = take(name) else { throw .mango("missing_required_key", "Missing required key: \(name)") }
        return value
    }

    /// - Throws: `invalid_boolean` (400).
    mutating func flag(_ name: String) throws(CouchError) -> Bool? {
        switch take(name) {
        case nil: return nil
        case .bool(let flag): return flag
        default: throw .mango("invalid_boolean", "Invalid boolean value: `\(name)` is true or false.")
        }
    }

    /// - Throws: `invalid_non_neg_integer`, `invalid_pos_integer` (400).
    mutating func integer(_ name: String, from least: Int) throws(CouchError) -> Int? {
        guard let value = take(name) else { return nil }
        if let number = value.intValue.flatMap({ Int(exactly: $0) }), number >= least { return number }
        if least > 0 { throw .mango("invalid_pos_integer", "`\(name)` is not an integer greater than zero") }
        throw .mango("invalid_non_neg_integer", "`\(name)` is not an integer greater than or equal to zero")
    }

    /// - Throws: `invalid_string` (400).
    mutating func text(_ name: String) throws(CouchError) -> String? {
        guard let value = take(name) else { return nil }
        guard let text = value.stringValue else { throw .mango("invalid_string", "Invalid string: `\(name)`") }
        return text
    }

    /// The fields of a sort order or an index.
    ///
    /// - Throws: `invalid_sort_json`, `invalid_sort_field`, `invalid_sort_dir`, `unsupported_mixed_sort` (400).
    static func order(_ value: JSONValue, _ name: String) throws(CouchError) -> [FindOrder] {
        guard let fields = value.arrayValue else {
            throw .mango("invalid_sort_json", "Sort must be an array of sort specs: `\(name)` is none.")
        }
        var order: [FindOrder] = []
        for (place, field) in fields.enumerated() { order.append(try MangoMembers.field(field, "\(name)[\(place)]")) }
        guard Set(order.map(\.descending)).count <= 1 else {
            throw .mango(
                "unsupported_mixed_sort",
                "Sorts currently only support a single direction for all fields."
            )
        }
        return order
    }

    private static func field(_ value: JSONValue, _ name: String) throws(CouchError) -> FindOrder {
        if let field = value.stringValue, !field.isEmpty { return FindOrder(field) }
        guard let object = value.objectValue, object.count == 1, !object.keys[0].isEmpty else {
            throw .mango("invalid_sort_field", "Invalid sort field: `\(name)` is a name, or {\"name\":\"asc\"}.")
        }
        switch object.values[0] {
        case "asc": return FindOrder(object.keys[0])
        case "desc": return FindOrder(object.keys[0], descending: true)
        default: throw .mango("invalid_sort_dir", "Invalid sort direction: `\(name)` has \"asc\" or \"desc\".")
        }
    }

    /// - Throws: `invalid_key` (400) if members are left.
    func requireEnd() throws(CouchError) {
        guard let name = rest.keys.first else { return }
        throw .mango("invalid_key", "Invalid key \(name) for this request.")
    }
}
