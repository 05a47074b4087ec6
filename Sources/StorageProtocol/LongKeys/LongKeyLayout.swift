/// How keys of any length are kept in an ordered store whose own keys end early: a key that is too long is cut, and
/// what is cut off stands elsewhere in the store. The order of the keys stays that of memcmp.
///
/// The format is described in docs/reference/long-keys.md. A *stored key* here is a key after `stored(_:)`; one of at
/// most `cut` bytes is a key of the store. A longer one begins with a *continuation* of `longestKey` bytes,
/// `rootKey(of:)`, whose value is the number of a *node*. The node's entries, `nodeKey(_:_:)`, go on with the next
/// `chunk` bytes, and so on to the key's end, which has the value.
///
/// The layout only computes: it reads and writes no store. `ShortKeyMapReader` and `ShortKeyMapWriter` do over any
/// ordered map.
public struct LongKeyLayout: Sendable, Equatable {
    /// The length of a node number in keys and values.
    public static let nodeLength = 8
    /// The last byte of a continuation.
    public static let marker: UInt8 = 1
    /// The longest key, in bytes. It leaves room for a sort key of 1 MiB and an ID whose bytes are all escaped.
    public static let maximumLength = 1 << 22
    /// The least that `longestKey` can be, in bytes.
    public static let shortestLimit = 16

    /// The length of a continuation in bytes: no key of the store is longer, and none that ends a key has it.
    public let longestKey: Int

    /// - Parameter longestKey: how many bytes a key of the store may have; at least `shortestLimit`. It is part of a
    ///   store's format: another number finds none of the long keys.
    @inlinable
    public init(longestKey: Int) {
        precondition(longestKey >= LongKeyLayout.shortestLimit, "A store with long keys takes keys of some bytes")
        self.longestKey = longestKey
    }

    /// The longest key, in bytes, that is stored as it is.
    @inlinable
    public var cut: Int { longestKey - 1 }

    /// How many bytes of a key stand in one continuation below the first: `cut` less the node number.
    @inlinable
    public var chunk: Int { cut - LongKeyLayout.nodeLength }

    /// Whether a key is stored as it is: it is not too long, and has a byte that differs from zero.
    @inlinable
    public func isPlain(_ key: RawSpan) -> Bool { key.byteCount <= cut && !LongKeyLayout.isZeros(key) }

    /// Whether no byte of a key differs from zero. The empty key is one of these. A store need not have an empty key,
    /// so n zeros are kept as n + 1 zeros, which changes no order.
    @inlinable
    public static func isZeros(_ key: RawSpan) -> Bool {
        for offset in 0..<key.byteCount
        where unsafe key.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self) != 0 {
            return false
        }
        return true
    }

    /// Whether a key of the store is a continuation.
    ///
    /// - Throws: `corrupt` (591) for a key that the layout does not make.
    @inlinable
    public func isContinuation(_ key: RawSpan) throws(StorageError) -> Bool {
        guard key.byteCount > cut else { return false }
        guard key.byteCount == longestKey,
            unsafe key.unsafeLoad(fromUncheckedByteOffset: cut, as: UInt8.self) == LongKeyLayout.marker
        else { throw .corrupt("A stored key has an impossible form") }
        return true
    }

    /// The node that a continuation with this value leads to.
    ///
    /// - Parameter parent: the node that it stands in, 0 for none. A child is always newer, so a chain cannot come back
    ///   to where it has been.
    /// - Throws: `corrupt` (591) for anything else.
    public static func node(_ value: RawSpan, under parent: UInt64) throws(StorageError) -> UInt64 {
        guard value.byteCount == nodeLength else {
            throw .corrupt("A continuation of a long key has no node number")
        }
        let node = unsafe UInt64(bigEndian: value.unsafeLoadUnaligned(as: UInt64.self))
        guard node > parent else { throw .corrupt("A continuation of a long key leads back") }
        return node
    }

    /// - Throws: `tooLarge` (413) for a key of more than `maximumLength` bytes.
    public static func checkLength(_ count: Int) throws(StorageError) {
        guard count <= maximumLength else {
            throw StorageError(
                .tooLarge,
                "A key would have \(count) bytes in the store; at most \(maximumLength) are allowed. Use a shorter one."
            )
        }
    }

    /// What is thrown for a node without entries.
    package static var missingNode: StorageError { .corrupt("A continuation of a long key leads to nothing") }
}

extension LongKeyLayout {
    /// A key as it stands in the store, in all its length: n zeros are n + 1 zeros.
    public static func stored(_ key: [UInt8]) -> [UInt8] { unsafe isZeros(key.span.bytes) ? key + [0] : key }

    /// The key that stands in the store as `stored`.
    public static func shown(_ stored: [UInt8]) -> [UInt8] {
        unsafe isZeros(stored.span.bytes) ? Array(stored.dropLast()) : stored
    }

    /// The first key of the store on the way to a stored key: itself, or a continuation.
    public func rootKey(of stored: [UInt8]) -> [UInt8] {
        stored.count <= cut ? stored : stored.prefix(cut) + [LongKeyLayout.marker]
    }

    /// The key of the store in which `rest` of a stored key goes on in a node: its end, or a continuation.
    public func nodeKey(_ node: UInt64, _ rest: ArraySlice<UInt8>) -> [UInt8] {
        let key = ByteCoding.bytes(node) + rest.prefix(chunk)
        return rest.count <= chunk ? key : key + [LongKeyLayout.marker]
    }
}
