public import StorageProtocol

/// Lists the keys below continuations. It moves down into nodes and up again without recursion, however long the keys
/// are.
struct ShortKeyWalk {
    /// A node on the way from the root to the current position of the walk.
    private struct Level {
        let node: UInt64
        let bounds: ShortKeyBounds
        /// The last entry that was read.
        var last: [UInt8]?
    }

    private let space: ShortKeySpace
    private let descending: Bool
    private var levels: [Level] = []
    /// The bytes of a stored key above the last level.
    private var path: [UInt8] = []
    /// All nodes that were entered. In a damaged store many continuations may lead to one node, and a walk over them
    /// would never end.
    private var entered: Set<UInt64> = []

    init(_ space: ShortKeySpace, descending: Bool) {
        self.space = space
        self.descending = descending
    }

    /// Passes the keys below a continuation of the map's root to `body`.
    ///
    /// - Parameters:
    ///   - key: The continuation's key, in the form of the layout.
    ///   - bounds: The whole range.
    /// - Returns: Whether to continue, as returned by `body`.
    mutating func run(
        below key: ArraySlice<UInt8>,
        _ value: [UInt8],
        _ bounds: ShortKeyBounds,
        in map: some ShortKeyMapReader,
        _ body: (_ key: [UInt8], _ value: [UInt8]) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        (levels, path) = ([], [])
        try enter(key.dropLast(), value, bounds)
        while let level = levels.last {
            var goesOn = true
            var continuation: (key: [UInt8], value: [UInt8])?
            var last = level.last
            let prefix = space.prefix(of: level.node)
            try map.storedValues(in: range(level), descending: descending) { (key, value) throws(StorageError) in
                try check(key, behind: prefix, after: last)
                last = key
                let stored = key.dropFirst(ShortKeySpace.nodes.count)
                if try unsafe space.layout.isContinuation(stored.span.bytes) {
                    continuation = (key, value)
                    return false
                }
                goesOn = try body(LongKeyLayout.shown(path + key[prefix.count...]), value)
                return goesOn
            }
            if !goesOn { return false }
            if last == nil { try map.requireEntries(of: level.node, space) }
            levels[levels.count - 1].last = last
            if let continuation {
                try enter(continuation.key[prefix.count...].dropLast(), continuation.value, level.bounds)
            } else {
                levels.removeLast()
                path.removeLast(levels.isEmpty ? path.count : space.layout.chunk)
            }
        }
        return true
    }

    /// Adds the node that a continuation leads to. `bytes` are the bytes of the key that the continuation holds.
    private mutating func enter(
        _ bytes: ArraySlice<UInt8>,
        _ value: [UInt8],
        _ bounds: ShortKeyBounds
    ) throws(StorageError) {
        let node = try unsafe LongKeyLayout.node(value.span.bytes, under: levels.last?.node ?? 0)
        guard entered.insert(node).inserted else { throw .corrupt("Two long keys lead to one place") }
        path += bytes
        guard path.count <= LongKeyLayout.maximumLength else { throw .corrupt("A long key has no end") }
        levels.append(Level(node: node, bounds: bounds.below(bytes), last: nil))
    }

    /// Returns the part of a level that is left to list.
    private func range(_ level: Level) -> ByteRange {
        var range = level.bounds.entries(space.layout.chunk, behind: space.prefix(of: level.node))
        guard let last = level.last else { return range }
        if descending { range.upper = .excluding(last) } else { range.lower = .excluding(last) }
        return range
    }

    /// - Throws: `corrupt` (591) for a key that an intact map does not have at this position.
    func check(_ key: [UInt8], behind prefix: [UInt8], after last: [UInt8]?) throws(StorageError) {
        guard key.count > prefix.count, key.starts(with: prefix) else {
            throw .corrupt("A stored key has an impossible form")
        }
        guard let last else { return }
        let order = compareBytes(last, key)
        guard descending ? order > 0 : order < 0 else { throw .corrupt("The keys of the store are out of order") }
    }
}

extension ShortKeyMapReader {
    /// The keys below a continuation are listed while the listing above it is paused, so that a page of short keys is
    /// read only once. Memory: roughly 16 bytes for each node that the listing comes to.
    ///
    /// - Throws: `corrupt` (591) if chains are damaged; the error of `body`.
    public func values(
        in range: ByteRange,
        descending: Bool,
        _ body: (_ key: [UInt8], _ value: [UInt8]) throws(StorageError) -> Bool
    ) throws(StorageError) {
        if range.isEmpty { return }
        let space = ShortKeySpace(longestKey: longestKey)
        let bounds = ShortKeyBounds(lower: ShortKeyBound(range.lower), upper: ShortKeyBound(range.upper))
        var walk = ShortKeyWalk(space, descending: descending)
        var last: [UInt8]?
        let prefix = ShortKeySpace.keys
        try storedValues(in: bounds.entries(space.layout.cut, behind: prefix), descending: descending) {
            (key, value) throws(StorageError) in
            try walk.check(key, behind: prefix, after: last)
            last = key
            let stored = key.dropFirst(prefix.count)
            if try unsafe space.layout.isContinuation(stored.span.bytes) {
                return try walk.run(below: stored, value, bounds, in: self, body)
            }
            return try body(LongKeyLayout.shown(Array(stored)), value)
        }
    }
}
