package import SetteeDocumentValues
internal import SetteeExpressions
package import StorageProtocol

/// The members that the rows of a query have. What is inside objects is inside objects of the row, too; an element of
/// an array becomes a member whose name is its index, as in CouchDB.
package struct FieldProjection: Sendable, Equatable {
    private let paths: [[String]]

    /// - Throws: `badRequest` (400) for an empty name in a path, or a path that is too long.
    package init(_ fields: [String]) throws(StorageError) {
        var paths: [[String]] = []
        for field in fields { paths.append(try FieldPath(mango: field).texts) }
        self.paths = paths
    }

    package func apply(to document: JSONObject) -> JSONObject {
        var result: JSONObject = [:]
        for path in paths {
            guard let value = FieldProjection.value(at: path[...], in: .object(document)) else { continue }
            FieldProjection.set(value, at: path[...], in: &result)
        }
        return result
    }

    private static func value(at names: ArraySlice<String>, in value: JSONValue) -> JSONValue? {
        guard let name = names.first else { return value }
        switch value {
        case .object(let object):
            guard let inner = object[name] else { return nil }
            return self.value(at: names.dropFirst(), in: inner)
        case .array(let elements):
            guard let index = Int(name), elements.indices.contains(index) else { return nil }
            return self.value(at: names.dropFirst(), in: elements[index])
        default: return nil
        }
    }

    private static func set(_ value: JSONValue, at names: ArraySlice<String>, in object: inout JSONObject) {
        guard let name = names.first else { return }
        guard names.count > 1 else {
            object[name] = value
            return
        }
        var inner: JSONObject = [:]
        if case .object(let known)? = object[name] { inner = known }
        set(value, at: names.dropFirst(), in: &inner)
        object[name] = .object(inner)
    }
}
