internal import SetteeDocumentValues

/// A selector as CouchDB shows it in `_explain`, and keeps it in indexes: each object has one member, which is a whole
/// path or an operator, equality is `$eq`, and negations stand at the fields. CouchDB can match no other form of it in
/// an index that comes by replication.
///
/// Facts: CouchDB 3.4, `normalize` in src/mango/src/mango_selector.erl.
enum SelectorNormalForm {
    /// - Parameter selector: One that `MangoSelector` takes, which bounds its depth.
    static func of(_ selector: JSONObject) -> JSONObject {
        guard !selector.isEmpty else { return [:] }
        return settled(along("", explicit(.object(selector)))).objectValue ?? [:]
    }

    private static func object(_ name: String, _ value: JSONValue) -> JSONValue { .object(JSONObject([(name, value)])) }

    private static func only(_ value: JSONValue) -> (name: String, value: JSONValue)? {
        guard case .object(let object) = value, object.count == 1 else { return nil }
        return (object.keys[0], object.values[0])
    }

    private static func isOperator(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: "$") }

    private static let ofElements: Set = ["$elemMatch", "$allMatch", "$keyMapMatch"]
    private static let ofSelectors: Set = ["$and", "$or", "$nor"]

    /// With an operator for each condition.
    private static func explicit(_ value: JSONValue) -> JSONValue {
        guard case .object(let members) = value, !members.isEmpty else { return object("$eq", value) }
        guard let (name, argument) = only(value) else {
            return object("$and", .array(members.map { explicit(object($0.key, $0.value)) }))
        }
        if ofSelectors.contains(name), let parts = argument.arrayValue {
            return object(name, .array(parts.map(explicit)))
        }
        if name == "$not" || ofElements.contains(name) || !isOperator(name) { return object(name, explicit(argument)) }
        return value
    }

    /// With whole paths at the conditions.
    private static func along(_ path: String, _ value: JSONValue) -> JSONValue {
        guard let (name, argument) = only(value) else { return object(path, value) }
        if ofSelectors.contains(name), let parts = argument.arrayValue {
            return object(name, .array(parts.map { along(path, $0) }))
        }
        if name == "$not" { return object(name, along(path, argument)) }
        if ofElements.contains(name) { return object(path, object(name, along("", argument))) }
        if isOperator(name) { return object(path, value) }
        return along(path.isEmpty ? name : path + "." + name, argument)
    }

    /// With negations at the conditions.
    private static func settled(_ value: JSONValue) -> JSONValue {
        guard let (name, argument) = only(value) else { return value }
        switch name {
        case "$not": return negated(argument)
        case "$nor": return object("$and", .array((argument.arrayValue ?? []).map(negated)))
        case "$and", "$or": return object(name, .array((argument.arrayValue ?? []).map(settled)))
        default: return value
        }
    }

    private static let opposites = [
        "$lt": "$gte", "$gte": "$lt", "$lte": "$gt", "$gt": "$lte", "$eq": "$ne", "$ne": "$eq", "$in": "$nin",
        "$nin": "$in",
    ]

    private static func negated(_ value: JSONValue) -> JSONValue {
        guard let (name, argument) = only(value) else { return value }
        switch name {
        case "$not": return settled(argument)
        case "$nor": return object("$or", .array((argument.arrayValue ?? []).map(settled)))
        case "$and": return object("$or", .array((argument.arrayValue ?? []).map(negated)))
        case "$or": return object("$and", .array((argument.arrayValue ?? []).map(negated)))
        case "$exists": return object(name, .bool(argument != true))
        default: break
        }
        if let opposite = opposites[name] { return object(opposite, argument) }
        return isOperator(name) ? object("$not", value) : object(name, negated(argument))
    }
}
