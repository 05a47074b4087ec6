internal import SetteeDocumentValues
internal import StorageProtocol

/// A set of property names, compared by their bytes and in canonical order.
public struct PropertyNames: Sendable, Hashable {
    private var names: JSONObject

    public init() { names = JSONObject() }

    /// Creates a set of the names in `names`.
    public init(_ names: some Sequence<String>) { self.names = JSONObject(names.map { ($0, JSONValue.null) }) }

    public var isEmpty: Bool { names.isEmpty }
    public var count: Int { names.count }

    /// Complexity: O(log n) comparisons.
    public func contains(_ name: String) -> Bool { names[name] != nil }

    mutating func insert(_ name: String) { names[name] = .null }

    /// Returns the names of top-level members that are in only one of two objects, or have different values.
    static func differing(_ a: JSONObject, _ b: JSONObject) -> PropertyNames {
        var names: [String] = []
        for (name, value) in a where b[name] != value { names.append(name) }
        for (name, _) in b where a[name] == nil { names.append(name) }
        return PropertyNames(names)
    }
}

extension PropertyNames: Sequence {
    public func makeIterator() -> IndexingIterator<[String]> { names.keys.makeIterator() }
}

extension PropertyNames: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: String...) { self.init(elements) }
}
