internal import StorageProtocol

/// A sorted map with value semantics whose copies share structure: a B+ tree whose shared nodes are copied at the first
/// write.
///
/// Copying the map costs one reference; a write after that copies one node per level. A snapshot of a store is such a
/// copy.
///
/// - Complexity: Look-up, insertion and removal O(log n), a visit O(log n + visited entries).
struct SortedMap<Key: Comparable & Sendable, Value: Sendable>: @unchecked Sendable {
    // Nodes are classes with mutable contents, but a node that two maps can reach is never modified: every write first
    // calls `isKnownUniquelyReferenced`. So a map may be passed between threads like an array.
    private var root: SortedMapNode<Key, Value>?
    /// How many entries the map holds.
    private(set) var count = 0

    init() {}

    /// Returns the value of the one key for which `order` is zero. `order` is negative for keys before it, and positive
    /// after it.
    func value(where order: (Key) -> Int) -> Value? {
        var node = root
        while let present = node {
            let (value, child) = present.search(order)
            guard let child else { return value }
            node = child
        }
        return nil
    }

    subscript(_ key: Key) -> Value? {
        value { $0 < key ? -1 : ($0 == key ? 0 : 1) }
    }

    /// Sets the value of `key` and returns the previous one.
    @discardableResult
    mutating func set(_ key: Key, _ value: Value) -> Value? {
        let top = makeRootUnique()
        let (old, split) = top.set(key, value)
        if let split { root = SortedMapNode(children: [top, split]) }
        if old == nil { count += 1 }
        return old
    }

    /// Removes `key` and returns its value.
    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard self[key] != nil else { return nil }
        var top = makeRootUnique()
        let old = top.remove(key)
        while top.children.count == 1 { top = top.children[0] }
        root = top.keys.isEmpty ? nil : top
        count -= 1
        return old
    }

    /// Removes the first entry. Returns false if there is none.
    mutating func removeFirst() throws(StorageError) -> Bool {
        var first: Key?
        try visit { (key, _) throws(StorageError) in
            first = key
            return false
        }
        guard let first else { return false }
        remove(first)
        return true
    }

    /// Changes the value of `key` in place. Returns nil if there is no such key.
    mutating func modify<R>(_ key: Key, _ change: (inout Value) throws(StorageError) -> R) throws(StorageError) -> R? {
        guard self[key] != nil else { return nil }
        return try makeRootUnique().modify(key, change)
    }

    /// Passes the entries for which `isBefore` is false and `isNotAfter` is true to `body`, in order, or in reverse if
    /// `descending`, until it returns false. Each condition must be true for the keys up to some point and false for
    /// all others.
    func visit(
        isBefore: (Key) -> Bool = { _ in false },
        isNotAfter: (Key) -> Bool = { _ in true },
        descending: Bool = false,
        _ body: (Key, Value) throws(StorageError) -> Bool
    ) throws(StorageError) {
        _ = try root?.visit(isBefore, isNotAfter, descending, body)
    }

    /// Returns what is wrong with the tree's shape; empty if nothing is.
    func faults() -> [String] {
        var faults: [String] = []
        let entries = root?.collectFaults(above: nil, into: &faults).entries ?? 0
        if entries != count { faults.append("\(entries) entries, but \(count) counted") }
        return faults
    }

    private mutating func makeRootUnique() -> SortedMapNode<Key, Value> {
        if isKnownUniquelyReferenced(&root), let root { return root }
        let copy = root.map(SortedMapNode.init(copying:)) ?? SortedMapNode()
        root = copy
        return copy
    }
}
