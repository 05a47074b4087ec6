internal import StorageProtocol

/// A node of a `SortedMap`: a leaf with keys and values, or a branch with children and, for each, a key that is not
/// above the child's first.
final class SortedMapNode<Key: Comparable, Value> {
    /// Small enough that copying a shared node is cheap, large enough that the tree has few levels.
    static var capacity: Int { 64 }

    private(set) var keys: [Key]
    private(set) var values: [Value]
    private(set) var children: [SortedMapNode]

    var isLeaf: Bool { children.isEmpty }

    private init(keys: [Key], values: [Value], children: [SortedMapNode]) {
        self.keys = keys
        self.values = values
        self.children = children
    }

    convenience init() { self.init(keys: [], values: [], children: []) }

    convenience init(copying other: SortedMapNode) {
        self.init(keys: other.keys, values: other.values, children: other.children)
    }

    convenience init(children: [SortedMapNode]) {
        self.init(keys: children.map { $0.keys[0] }, values: [], children: children)
    }

    /// Returns how many of the first keys satisfy `condition`, which must fail for all keys after the first one that
    /// fails.
    @inline(__always)
    func partition(_ condition: (Key) -> Bool) -> Int { SortedMapNode.partition(keys, condition) }

    /// Takes the keys as a value, since each access to a property of an object is checked by the runtime.
    @inline(__always)
    private static func partition(_ keys: [Key], _ condition: (Key) -> Bool) -> Int {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if condition(keys[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the child that contains the last key that satisfies `condition`, if there is one.
    func child(_ condition: (Key) -> Bool) -> Int { max(partition(condition) - 1, 0) }

    private func makeChildUnique(_ index: Int) {
        if !isKnownUniquelyReferenced(&children[index]) {
            children[index] = SortedMapNode(copying: children[index])
        }
    }

    /// Returns the value of the one key for which `order` is zero, in a leaf; else the child that may have it.
    func search(_ order: (Key) -> Int) -> (value: Value?, child: SortedMapNode?) {
        let keys = keys
        let children = children
        guard children.isEmpty else {
            return (nil, children[max(SortedMapNode.partition(keys) { order($0) <= 0 } - 1, 0)])
        }
        let index = SortedMapNode.partition(keys) { order($0) < 0 }
        guard index < keys.count, order(keys[index]) == 0 else { return (nil, nil) }
        return (values[index], nil)
    }

    /// Returns where a key is or would be in a leaf.
    private func place(of key: Key) -> (index: Int, isPresent: Bool) {
        let keys = keys
        // Keys that arrive in order are compared once at each level.
        guard !keys.isEmpty, !(keys[keys.count - 1] < key) else { return (keys.count, false) }
        let index = SortedMapNode.partition(keys) { $0 < key }
        return (index, keys[index] == key)
    }

    /// Returns the child that a key belongs to, and whether the key is below that child's.
    private func branch(to key: Key) -> (index: Int, isBelow: Bool) {
        let keys = keys
        if keys[keys.count - 1] < key { return (keys.count - 1, false) }
        let index = max(SortedMapNode.partition(keys) { $0 <= key } - 1, 0)
        return (index, key < keys[index])
    }

    func set(_ key: Key, _ value: Value) -> (old: Value?, split: SortedMapNode?) {
        if isLeaf {
            let (index, isPresent) = place(of: key)
            if isPresent {
                let old = values[index]
                values[index] = value
                return (old, nil)
            }
            keys.insert(key, at: index)
            values.insert(value, at: index)
            return (nil, splitIfOverfull(insertedAt: index))
        }
        let (index, isBelow) = branch(to: key)
        if isBelow { keys[index] = key }
        makeChildUnique(index)
        let (old, split) = children[index].set(key, value)
        guard let split else { return (old, nil) }
        keys.insert(split.keys[0], at: index + 1)
        children.insert(split, at: index + 1)
        return (old, splitIfOverfull(insertedAt: index + 1))
    }

    private func splitIfOverfull(insertedAt index: Int) -> SortedMapNode? {
        guard keys.count > Self.capacity else { return nil }
        // Keys that arrive in order fill their nodes: only the last one moves to the new node.
        let cut = index == keys.count - 1 ? index : keys.count / 2
        let right = SortedMapNode(
            keys: Array(keys[cut...]),
            values: isLeaf ? Array(values[cut...]) : [],
            children: isLeaf ? [] : Array(children[cut...])
        )
        if isLeaf { values.removeSubrange(cut...) } else { children.removeSubrange(cut...) }
        keys.removeSubrange(cut...)
        return right
    }

    func remove(_ key: Key) -> Value? {
        if isLeaf {
            let index = partition { $0 < key }
            guard index < keys.count, keys[index] == key else { return nil }
            keys.remove(at: index)
            return values.remove(at: index)
        }
        let index = child { $0 <= key }
        makeChildUnique(index)
        let old = children[index].remove(key)
        if children[index].keys.isEmpty {
            keys.remove(at: index)
            children.remove(at: index)
        } else if index + 1 < children.count {
            mergeIfSmall(index)
        } else if index > 0 {
            mergeIfSmall(index - 1)
        }
        return old
    }

    /// Joins a child with the next one if both together fill no more than half a node.
    private func mergeIfSmall(_ index: Int) {
        let next = children[index + 1]
        guard children[index].keys.count + next.keys.count <= Self.capacity / 2 else { return }
        makeChildUnique(index)
        let child = children[index]
        child.keys += next.keys
        child.values += next.values
        child.children += next.children
        keys.remove(at: index + 1)
        children.remove(at: index + 1)
    }

    func modify<R>(_ key: Key, _ change: (inout Value) throws(StorageError) -> R) throws(StorageError) -> R? {
        if isLeaf {
            let index = partition { $0 < key }
            guard index < keys.count, keys[index] == key else { return nil }
            return try change(&values[index])
        }
        let index = child { $0 <= key }
        makeChildUnique(index)
        return try children[index].modify(key, change)
    }

    func visit(
        _ isBefore: (Key) -> Bool,
        _ isNotAfter: (Key) -> Bool,
        _ descending: Bool,
        _ body: (Key, Value) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        let start = isLeaf ? partition(isBefore) : child(isBefore)
        let end = partition(isNotAfter)
        guard start < end else { return true }
        for offset in 0..<(end - start) {
            let index = descending ? end - 1 - offset : start + offset
            let goesOn =
                isLeaf
                ? try body(keys[index], values[index])
                : try children[index].visit(isBefore, isNotAfter, descending, body)
            if !goesOn { return false }
        }
        return true
    }

    /// Checks order, fill and depth. Returns how many entries and levels are below, and the last key.
    func collectFaults(
        above bound: Key?,
        into faults: inout [String]
    ) -> (entries: Int, depth: Int, last: Key?) {
        if keys.count > Self.capacity { faults.append("a node with \(keys.count) keys") }
        if keys.isEmpty { faults.append("an empty node") }
        if isLeaf {
            if values.count != keys.count { faults.append("a leaf with \(keys.count) keys, \(values.count) values") }
            var last = bound
            for key in keys {
                if let last, last >= key { faults.append("keys out of order") }
                last = key
            }
            return (keys.count, 0, last)
        }
        if children.count != keys.count {
            faults.append("a branch with \(keys.count) keys, \(children.count) children")
        }
        var entries = 0
        var depths: Set<Int> = []
        var last = bound
        for (key, child) in zip(keys, children) {
            if let last, last >= key { faults.append("branch keys out of order") }
            if let first = child.keys.first, first < key { faults.append("a branch key above its child's first") }
            let below = child.collectFaults(above: last, into: &faults)
            entries += below.entries
            depths.insert(below.depth)
            last = below.last
        }
        if depths.count > 1 { faults.append("leaves at different depths") }
        return (entries, (depths.max() ?? 0) + 1, last)
    }
}
