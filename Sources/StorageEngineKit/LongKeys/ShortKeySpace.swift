internal import StorageProtocol

/// Where the parts of a `LongKeyLayout` are stored in the single map of a `ShortKeyMapReader`. The first byte of every
/// key tells them apart.
struct ShortKeySpace {
    /// The key of the node counter, and the prefixes of the map's keys and of the keys of nodes' entries.
    static let counter: [UInt8] = Array("c".utf8)
    static let keys: [UInt8] = Array("k".utf8)
    static let nodes: [UInt8] = Array("n".utf8)

    let layout: LongKeyLayout

    init(longestKey: Int) { layout = LongKeyLayout(longestKey: longestKey - 1) }

    /// Returns the map key of the first part of a stored key.
    func root(of stored: [UInt8]) -> [UInt8] { ShortKeySpace.keys + layout.rootKey(of: stored) }

    /// Returns the map key of the entry of a node that continues with `rest`.
    func entry(of node: UInt64, _ rest: ArraySlice<UInt8>) -> [UInt8] {
        ShortKeySpace.nodes + layout.nodeKey(node, rest)
    }

    /// Returns the prefix of the keys of a node's entries.
    func prefix(of node: UInt64) -> [UInt8] { ShortKeySpace.nodes + ByteCoding.bytes(node) }
}

/// One end of a range of stored keys, or the rest of it below a continuation.
struct ShortKeyBound {
    let rest: ArraySlice<UInt8>
    let isIncluded: Bool

    /// Creates the bound of a range; nil if it is open.
    init?(_ bound: ByteRange.Bound) {
        switch bound {
        case .open: return nil
        case .including(let key): (rest, isIncluded) = (LongKeyLayout.stored(key)[...], true)
        case .excluding(let key): (rest, isIncluded) = (LongKeyLayout.stored(key)[...], false)
        }
    }

    private init(rest: ArraySlice<UInt8>, isIncluded: Bool) {
        self.rest = rest
        self.isIncluded = isIncluded
    }

    /// Returns the same bound for entries that hold `length` bytes. If it is longer, this is the continuation that
    /// leads to it.
    func entry(_ length: Int) -> ByteRange.Bound {
        if rest.count > length { return .including(rest.prefix(length) + [LongKeyLayout.marker]) }
        return isIncluded ? .including(Array(rest)) : .excluding(Array(rest))
    }

    /// Returns the bound below a continuation that holds `bytes`. Nil if the continuation does not lead to the bound,
    /// so that it cuts off no key below.
    func below(_ bytes: ArraySlice<UInt8>) -> ShortKeyBound? {
        guard rest.count > bytes.count, rest.starts(with: bytes) else { return nil }
        return ShortKeyBound(rest: rest.dropFirst(bytes.count), isIncluded: isIncluded)
    }
}

/// A range of stored keys, or the rest of it below a continuation.
struct ShortKeyBounds {
    var lower: ShortKeyBound?
    var upper: ShortKeyBound?

    /// Returns the same range for entries that hold `length` bytes after `prefix`.
    func entries(_ length: Int, behind prefix: [UInt8]) -> ByteRange {
        ByteRange(lower: lower?.entry(length) ?? .open, upper: upper?.entry(length) ?? .open).behind(prefix)
    }

    func below(_ bytes: ArraySlice<UInt8>) -> ShortKeyBounds {
        ShortKeyBounds(lower: lower?.below(bytes), upper: upper?.below(bytes))
    }
}

extension ByteRange {
    /// Whether it cannot contain a key.
    var isEmpty: Bool {
        switch (lower, upper) {
        case (.open, _), (_, .open): false
        case (.including(let low), .including(let high)): compareBytes(low, high) > 0
        case (.including(let low), .excluding(let high)), (.excluding(let low), .including(let high)),
            (.excluding(let low), .excluding(let high)):
            compareBytes(low, high) >= 0
        }
    }
}
