internal import SetteeDocumentValues
internal import StorageProtocol

/// A set of property names, told apart by their bytes and in canonical order.
public struct PropertyNames: Sendable, Hashable {
    private var names: JSONObject

    public init() { names = JSONObject() }

    /// The names in `names`, each once.
    public init(_ names: some Sequence<String>) { self.names = JSONObject(names.map { ($0, JSONValue.null) }) }

    public var isEmpty: Bool { names.isEmpty }
    public var count: Int { names.count }

    /// Complexity: O(log n) comparisons.
    public func contains(_ name: String) -> Bool { names[name] != nil }

    mutating func insert(_ name: String) { names[name] = .null }

    /// The names of top-level members that one of the two objects has and the other has not, or with another value.
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
