public import StorageProtocol

/// How keys of any length are stored in an ordered store whose own keys are limited in length. A key that is too long
/// is cut, and the rest is stored elsewhere in the store. The keys keep their `memcmp` order.
///
/// The format is described in docs/reference/long-keys.md. A *stored key* here is a key after `stored(_:)`. A stored
/// key of at most `cut` bytes is a key of the store. A longer one begins with a *continuation* of `longestKey` bytes,
/// `rootKey(of:)`, whose value is the number of a *node*. The node's entries, `nodeKey(_:_:)`, hold the next `chunk`
/// bytes, and so on to the end of the key, which has the value.
///
/// The layout only computes and does not read or write a store. `ShortKeyMapReader` and `ShortKeyMapWriter` apply it to
/// any ordered map.
public struct LongKeyLayout: Sendable, Equatable {
    /// The length of a node number in keys and values.
    public static let nodeLength = 8
    /// The last byte of a continuation.
    public static let marker: UInt8 = 1
    /// The maximum length of a key in bytes. It leaves room for a sort key of 1 MiB and an ID, all of whose bytes are
    /// escaped.
    public static let maximumLength = 1 << 22
    /// The minimum value of `longestKey`, in bytes.
    public static let shortestLimit = 16

    /// The length of a continuation in bytes. No key of the store is longer, and no key that ends a stored key has this
    /// length.
    public let longestKey: Int

    /// - Parameter longestKey: The maximum length in bytes of a key of the store; at least `shortestLimit`. It is part
    ///   of a store's format: with another number, none of the long keys are found.
    @inlinable
    public init(longestKey: Int) {
        precondition(longestKey >= LongKeyLayout.shortestLimit, "A store with long keys takes keys of some bytes")
        self.longestKey = longestKey
    }

    /// The maximum length in bytes of a key that is stored as it is.
    @inlinable
    public var cut: Int { longestKey - 1 }

    /// How many bytes of a key one continuation below the first holds: `cut` less the node number.
    @inlinable
    public var chunk: Int { cut - LongKeyLayout.nodeLength }

    /// Whether a key is stored as it is: it is not too long, and has a nonzero byte.
    @inlinable
    public func isPlain(_ key: RawSpan) -> Bool { key.byteCount <= cut && !LongKeyLayout.isZeros(key) }

    /// Whether all bytes of a key are zero, which includes the empty key. Some stores do not allow an empty key, so n
    /// zeros are stored as n + 1 zeros, which keeps the order.
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
    /// - Throws: `corrupt` (591) for a key that the layout never produces.
    @inlinable
    public func isContinuation(_ key: RawSpan) throws(StorageError) -> Bool {
        guard key.byteCount > cut else { return false }
        guard key.byteCount == longestKey,
            unsafe key.unsafeLoad(fromUncheckedByteOffset: cut, as: UInt8.self) == LongKeyLayout.marker
        else { throw .corrupt("A stored key has an impossible form") }
        return true
    }

    /// Returns the node that a continuation with this value leads to.
    ///
    /// - Parameter parent: The node that contains the continuation, 0 for none. A child is always newer, so a chain
    ///   cannot form a circle.
    /// - Throws: `corrupt` (591) for any other value.
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

    /// The error for a node without entries.
    package static var missingNode: StorageError { .corrupt("A continuation of a long key leads to nothing") }
}

extension LongKeyLayout {
    /// Returns a key as it is stored, in its full length: n zeros become n + 1 zeros.
    public static func stored(_ key: [UInt8]) -> [UInt8] { unsafe isZeros(key.span.bytes) ? key + [0] : key }

    /// Returns the key that is stored as `stored`.
    public static func shown(_ stored: [UInt8]) -> [UInt8] {
        unsafe isZeros(stored.span.bytes) ? Array(stored.dropLast()) : stored
    }

    /// Returns the first key of the store on the way to a stored key: the stored key itself, or a continuation.
    public func rootKey(of stored: [UInt8]) -> [UInt8] {
        stored.count <= cut ? stored : stored.prefix(cut) + [LongKeyLayout.marker]
    }

    /// Returns the key of the store that continues a stored key with `rest` in a node: its end, or a continuation.
    public func nodeKey(_ node: UInt64, _ rest: ArraySlice<UInt8>) -> [UInt8] {
        let key = ByteCoding.bytes(node) + rest.prefix(chunk)
        return rest.count <= chunk ? key : key + [LongKeyLayout.marker]
    }
}
