public import StorageProtocol

/// A read transaction over an ordered map of bytes whose keys are limited in length, as in a B-tree page. An engine
/// implements `storedValue` and `storedValues` for keys of at most `longestKey` bytes. It gets `value` and `values` of
/// `OrderedMapReader` for keys of up to `LongKeyLayout.maximumLength` bytes, and with them every call of
/// `ReadTransaction` except `end`.
///
/// Long keys are cut as described at `LongKeyLayout`. Every key in the map begins with a lower-case letter (`c`, `k`
/// and `n` are used). Keys that begin with another byte are free for the engine, to read and write with the calls
/// below. Do not mix the two protocols: a store whose engine has written with `OrderedMapWriter` alone has another
/// format.
///
/// A key of up to `longestKey` - 2 bytes costs as much as in the map itself. A longer one costs a look-up for each
/// `longestKey` - 10 bytes, and one more if it is missing. A listing reads each node that it comes to (keys with a long
/// common prefix share theirs).
public protocol ShortKeyMapReader: OrderedMapReader {
    /// The maximum length in bytes of a key of the map: at least 17, and always the same, because it is part of the
    /// store's format.
    var longestKey: Int { get }

    /// Like `value`, but for a key of the map itself.
    func storedValue(_ key: [UInt8]) throws(StorageError) -> [UInt8]?

    /// Like `values`, but for keys of the map itself. No bound is longer than `longestKey` bytes. `body` reads through
    /// the transaction, also with `storedValues`.
    func storedValues(
        in range: ByteRange,
        descending: Bool,
        _ body: (_ key: [UInt8], _ value: [UInt8]) throws(StorageError) -> Bool
    ) throws(StorageError)
}

extension ShortKeyMapReader {
    /// - Throws: `corrupt` (591) if the key's chain is damaged.
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

    /// Follows a stored key of more than `cut` bytes. Returns the existing nodes on the way to it, and the rest of the
    /// key after them. The rest has at most `chunk` bytes if the whole way exists.
    ///
    /// - Throws: `corrupt` (591) if the key's chain is damaged.
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

    /// Returns the number for the next node.
    func nextNode() throws(StorageError) -> UInt64 {
        guard let value = try storedValue(ShortKeySpace.counter) else { return 1 }
        return try ByteCoding.number(value)
    }
}
