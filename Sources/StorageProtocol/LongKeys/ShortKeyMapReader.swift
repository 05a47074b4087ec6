/// A transaction over an ordered map of bytes whose keys end early, as those of a B-tree page do: an engine gives
/// `storedValue` and `storedValues` over keys of at most `longestKey` bytes, and gets `value` and `values` of
/// `OrderedMapReader` over keys of up to `LongKeyLayout.maximumLength` bytes, and with them every call of
/// `ReadTransaction` but `end`.
///
/// Long keys are cut as `LongKeyLayout` says. Every key in the map begins with a small letter (`c`, `k` and `n` are
/// used); those that begin with another byte are the engine's own, to read and write with the calls below. The two ways
/// do not mix: a store whose engine has written with `OrderedMapWriter` alone is another format.
///
/// A key of up to `longestKey` - 2 bytes costs what the map's own does. A longer one costs a look-up for each
/// `longestKey` - 10 bytes, and a look-up of one that is not there one more; a listing asks for each node that it comes
/// to (keys with a long common prefix share theirs).
public protocol ShortKeyMapReader: OrderedMapReader {
    /// How many bytes a key of the map may have: at least 17, and always the same, as it is part of the store's format.
    var longestKey: Int { get }

    /// As `value`, of a key of the map itself.
    func storedValue(_ key: [UInt8]) throws(StorageError) -> [UInt8]?

    /// As `values`, of keys of the map itself. No bound is longer than `longestKey` bytes. `body` reads through the
    /// transaction, with `storedValues` too.
    func storedValues(
        in range: ByteRange,
        descending: Bool,
        _ body: (_ key: [UInt8], _ value: [UInt8]) throws(StorageError) -> Bool
    ) throws(StorageError)
}

extension ShortKeyMapReader {
    /// - Throws: `corrupt` (591) where the key's chain is damaged.
    public func value(_ key: [UInt8]) throws(StorageError) -> [UInt8]? {
        let space = ShortKeySpace(longestKey: longestKey)
        let key = LongKeyLayout.stored(key)
        if key.count <= space.layout.cut { return try storedValue(space.root(of: key)) }
        let chain = try chain(of: key, space)
        guard let node = chain.nodes.last, chain.rest.count <= space.layout.chunk else { return nil }
        let value = try storedValue(space.entry(of: node, chain.rest))
        if value == nil { try requireEntries(of: node, space) }
        return value
    }

    /// Follows a stored key of more than `cut` bytes: the nodes on the way to it that are there, and what is left of it
    /// behind them. That is at most `chunk` bytes where the way is all there.
    ///
    /// - Throws: `corrupt` (591) where the key's chain is damaged.
    func chain(
        of key: [UInt8],
        _ space: ShortKeySpace
    ) throws(StorageError) -> (nodes: [UInt64], rest: ArraySlice<UInt8>) {
        var nodes: [UInt64] = []
        var rest = key[...]
        var place = space.root(of: key)
        var length = space.layout.cut
        while let value = try storedValue(place) {
            let node = try unsafe LongKeyLayout.node(value.span.bytes, under: nodes.last ?? 0)
            nodes.append(node)
            rest = rest.dropFirst(length)
            length = space.layout.chunk
            if rest.count <= length { return (nodes, rest) }
            place = space.entry(of: node, rest)
        }
        if let node = nodes.last { try requireEntries(of: node, space) }
        return (nodes, rest)
    }

    /// Whether a node has entries.
    func hasEntries(_ node: UInt64, _ space: ShortKeySpace) throws(StorageError) -> Bool {
        var hasEntries = false
        try storedValues(in: .beginning(with: space.prefix(of: node)), descending: false) {
            (_, _) throws(StorageError) in
            hasEntries = true
            return false
        }
        return hasEntries
    }

    /// - Throws: `corrupt` (591) for a node without entries: no key can have led there.
    func requireEntries(of node: UInt64, _ space: ShortKeySpace) throws(StorageError) {
        guard try hasEntries(node, space) else { throw LongKeyLayout.missingNode }
    }

    /// The number that the next node gets.
    func nextNode() throws(StorageError) -> UInt64 {
        guard let value = try storedValue(ShortKeySpace.counter) else { return 1 }
        return try ByteCoding.number(value)
    }
}
