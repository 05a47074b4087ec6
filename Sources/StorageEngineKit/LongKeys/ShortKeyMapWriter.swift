public import StorageProtocol

/// A write transaction over an ordered map of bytes whose keys are limited in length. In addition to
/// `ShortKeyMapReader`, it gets `setValue` of `OrderedMapWriter` for keys of up to `LongKeyLayout.maximumLength` bytes
/// from `setStoredValue`, and with it every call of `WriteTransaction` except `commit` and `rollback`.
public protocol ShortKeyMapWriter: ShortKeyMapReader, OrderedMapWriter {
    /// Like `setValue`, but for a key of the map itself, of at most `longestKey` bytes. If it refuses a value, nothing
    /// may have been written.
    func setStoredValue(_ value: [UInt8]?, of key: [UInt8]) throws(StorageError)
}

extension ShortKeyMapWriter {
    /// Calls that need a longer key throw `tooLarge` (413) before anything is written.
    public var maximumKeyLength: Int { LongKeyLayout.maximumLength }

    /// Removing a key leaves nothing behind: continuations that no longer lead anywhere are removed too.
    ///
    /// - Throws: `tooLarge` (413) for a key of more than `LongKeyLayout.maximumLength` bytes, before anything is
    ///   written; `corrupt` (591) if the key's chain is damaged.
    public func setValue(_ value: [UInt8]?, of key: [UInt8]) throws(StorageError) {
        let space = ShortKeySpace(longestKey: longestKey)
        let key = LongKeyLayout.stored(key)
        if key.count <= space.layout.cut { return try setStoredValue(value, of: space.root(of: key)) }
        guard let value else { return try removeLong(key, space) }
        try LongKeyLayout.checkLength(key.count)
        let chain = try chain(of: key, space)
        guard let node = chain.nodes.last, chain.rest.count <= space.layout.chunk else {
            return try addChain(to: chain.nodes.last, chain.rest, value, key, space)
        }
        try requireEntries(of: node, space)
        try setStoredValue(value, of: space.entry(of: node, chain.rest))
    }

    /// Adds a value under new nodes, below `parent` or the root of the map. The keys that lead to it are written after
    /// it, so that nothing is left behind if the value is refused.
    private func addChain(
        to parent: UInt64?,
        _ rest: ArraySlice<UInt8>,
        _ value: [UInt8],
        _ key: [UInt8],
        _ space: ShortKeySpace
    ) throws(StorageError) {
        let below = rest.dropFirst(parent == nil ? space.layout.cut : space.layout.chunk)
        let chunk = space.layout.chunk
        let count = (below.count + chunk - 1) / chunk
        let first = try unusedNode(above: parent ?? 0, space)
        let (end, overflow) = first.addingReportingOverflow(UInt64(count))
        guard !overflow, end <= UInt64(Int64.max) else { throw .corrupt("The counter of nodes is used up") }
        func part(_ level: Int) -> ArraySlice<UInt8> { below.dropFirst(level * chunk) }
        try setStoredValue(value, of: space.entry(of: end - 1, part(count - 1)))
        for level in 0..<count - 1 {
            let node = first + UInt64(level)
            try setStoredValue(ByteCoding.bytes(node + 1), of: space.entry(of: node, part(level)))
        }
        try setStoredValue(ByteCoding.bytes(end), of: ShortKeySpace.counter)
        let link = parent.map { space.entry(of: $0, rest) } ?? space.root(of: key)
        try setStoredValue(ByteCoding.bytes(first), of: link)
    }

    /// Returns the number of the next node.
    ///
    /// - Throws: `corrupt` (591) if the counter is not above all nodes: the node would belong to another key.
    private func unusedNode(above parent: UInt64, _ space: ShortKeySpace) throws(StorageError) -> UInt64 {
        let node = try nextNode()
        var isUsed = node <= parent
        var range = ByteRange.beginning(with: ShortKeySpace.nodes)
        range.lower = .including(space.prefix(of: node))
        try storedValues(in: range, descending: false) { (_, _) throws(StorageError) in
            isUsed = true
            return false
        }
        if isUsed { throw .corrupt("The counter of nodes is below a node that is there") }
        return node
    }

    /// Removes a stored key of more than `cut` bytes, and the nodes that this leaves empty.
    private func removeLong(_ key: [UInt8], _ space: ShortKeySpace) throws(StorageError) {
        let (nodes, rest) = try chain(of: key, space)
        guard let node = nodes.last, rest.count <= space.layout.chunk else { return }
        let place = space.entry(of: node, rest)
        guard try storedValue(place) != nil else { return try requireEntries(of: node, space) }
        try setStoredValue(nil, of: place)
        for level in nodes.indices.reversed() {
            if try hasEntries(nodes[level], space) { return }
            if level == 0 {
                try setStoredValue(nil, of: space.root(of: key))
            } else {
                let start = space.layout.cut + (level - 1) * space.layout.chunk
                try setStoredValue(nil, of: space.entry(of: nodes[level - 1], key[start...]))
            }
        }
    }
}
