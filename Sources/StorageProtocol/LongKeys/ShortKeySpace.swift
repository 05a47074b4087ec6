/// Where the parts of a `LongKeyLayout` stand in the one map of a `ShortKeyMapReader`: the first byte of every key
/// tells them apart.
struct ShortKeySpace {
    /// The counter of nodes, and what the keys of the map and those of the nodes' entries begin with.
    static let counter: [UInt8] = Array("c".utf8)
    static let keys: [UInt8] = Array("k".utf8)
    static let nodes: [UInt8] = Array("n".utf8)

    let layout: LongKeyLayout

    init(longestKey: Int) { layout = LongKeyLayout(longestKey: longestKey - 1) }

    /// The key in the map of the first part of a stored key.
    func root(of stored: [UInt8]) -> [UInt8] { ShortKeySpace.keys + layout.rootKey(of: stored) }

    /// The key in the map of the entry of a node where `rest` goes on.
    func entry(of node: UInt64, _ rest: ArraySlice<UInt8>) -> [UInt8] {
        ShortKeySpace.nodes + layout.nodeKey(node, rest)
    }

    /// What the keys of a node's entries begin with.
    func prefix(of node: UInt64) -> [UInt8] { ShortKeySpace.nodes + ByteCoding.bytes(node) }
}

/// One side of a range of stored keys; below a continuation, what is left of it there.
struct ShortKeyBound {
    let rest: ArraySlice<UInt8>
    let isIncluded: Bool

    /// The bound of a range; nil where it is open.
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

    /// The same bound among entries that hold `length` bytes: where it is longer, the continuation that leads to it.
    func entry(_ length: Int) -> ByteRange.Bound {
        if rest.count > length { return .including(rest.prefix(length) + [LongKeyLayout.marker]) }
        return isIncluded ? .including(Array(rest)) : .excluding(Array(rest))
    }

    /// The bound below a continuation that holds `bytes`; nil where that is not on the way to it, so that no key below
    /// is outside.
    func below(_ bytes: ArraySlice<UInt8>) -> ShortKeyBound? {
        guard rest.count > bytes.count, rest.starts(with: bytes) else { return nil }
        return ShortKeyBound(rest: rest.dropFirst(bytes.count), isIncluded: isIncluded)
    }
}

/// A range of stored keys, or what is left of it below a continuation.
struct ShortKeyBounds {
    var lower: ShortKeyBound?
    var upper: ShortKeyBound?

    /// The same range among entries that hold `length` bytes behind `prefix`.
    func entries(_ length: Int, behind prefix: [UInt8]) -> ByteRange {
        ByteRange(lower: lower?.entry(length) ?? .open, upper: upper?.entry(length) ?? .open).behind(prefix)
    }

    func below(_ bytes: ArraySlice<UInt8>) -> ShortKeyBounds {
        ShortKeyBounds(lower: lower?.below(bytes), upper: upper?.below(bytes))
    }
}

extension ByteRange {
    /// Whether no key can be in it.
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
