/// The members of a JSON object, always in canonical order: by the UTF-16 code units of their names.
///
/// Names are compared by their bytes. Iteration yields `(key, value)` in canonical order.
public struct JSONObject: Sendable {
    /// A name and its value.
    public typealias Element = (key: String, value: JSONValue)

    private(set) var members: [Element]

    public init() { members = [] }

    /// Creates an object from members in any order. Of equal names the last wins.
    ///
    /// - Complexity: O(*n* log *n*); O(*n*) if they are in canonical order.
    public init(_ pairs: some Sequence<(String, JSONValue)>) {
        var members = pairs.map { (key: $0.0, value: $0.1) }
        if !JSONObject.isAscending(members) {
            // Positions decide between equal names, so that the last one is found at the end of its run.
            let order = members.indices.sorted { a, b in
                let order = JSONKeyOrder.compare(members[a].key, members[b].key)
                return order < 0 || (order == 0 && a < b)
            }
            var kept: [Element] = []
            kept.reserveCapacity(members.count)
            for position in order {
                if let last = kept.last, last.key.hasSameBytes(as: members[position].key) { kept.removeLast() }
                kept.append(members[position])
            }
            members = kept
        }
        self.members = members
    }

    /// For members whose names are known to be strictly ascending.
    init(ordered members: [Element]) { self.members = members }

    private static func isAscending(_ members: [Element]) -> Bool {
        for i in members.indices.dropFirst()
        where JSONKeyOrder.compare(members[i - 1].key, members[i].key) >= 0 {
            return false
        }
        return true
    }

    public var count: Int { members.count }
    public var isEmpty: Bool { members.isEmpty }
    /// The names in canonical order.
    public var keys: [String] { members.map(\.key) }
    /// The values in the order of their names.
    public var values: [JSONValue] { members.map(\.value) }

    /// The value of the member `name`, nil if there is none. Setting nil removes the member. Nested values change in
    /// place: `object["address"]["city"] = "Paris"`, see `JSONValue`.
    ///
    /// - Complexity: O(log *n*) comparisons; adding and removing are O(*n*).
    public subscript(name: String) -> JSONValue? {
        get {
            let (position, found) = place(of: name)
            // Not with `?:`, where nil would become JSON's null.
            if found { return members[position].value }
            return nil
        }
        _modify {
            let (position, found) = place(of: name)
            var value: JSONValue?
            if found {
                // Leaves the value with a single owner, so that it changes in place.
                value = members[position].value
                members[position].value = .null
            }
            defer {
                switch (value, found) {
                case (let value?, true): members[position].value = value
                case (let value?, false): members.insert((name, value), at: position)
                case (nil, true): members.remove(at: position)
                case (nil, false): break
                }
            }
            yield &value
        }
    }

    /// Removes the member `name` and returns its value, or nil if there is none.
    @discardableResult
    public mutating func remove(_ name: String) -> JSONValue? {
        let (position, found) = place(of: name)
        if found { return members.remove(at: position).value }
        return nil
    }

    /// Returns the position of `name`, or where it would be inserted.
    private func place(of name: String) -> (position: Int, found: Bool) {
        var low = 0
        var high = members.count
        while low < high {
            let middle = (low + high) / 2
            let order = JSONKeyOrder.compare(members[middle].key, name)
            if order == 0 { return (middle, true) }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }
}

extension JSONObject: JSONMembers {}

extension JSONObject: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { members.count }
    public subscript(position: Int) -> Element { members[position] }
}
