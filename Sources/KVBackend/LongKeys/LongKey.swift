internal import StorageProtocol

/// How keys that are longer than the store's are cut. docs/kv-engine.md, "Long keys", is the format.
enum LongKey {
    /// The longest key that is stored as it is.
    static let cut = 480
    /// How many bytes of a key stand in one continuation of the table `chunks`: `cut` less the node number.
    static let chunk = cut - nodeLength
    /// The length of a node number in keys and values.
    static let nodeLength = 8
    /// The length of a continuation's store key: no entry that ends a key has it.
    static let continuation = cut + 1
    /// The last byte of a continuation.
    static let marker: UInt8 = 1
    /// The longest key. It leaves room for a sort key of 1 MiB whose bytes are all escaped.
    static let maximumLength = 1 << 22
    /// The tables with long keys; `chunks` holds what does not fit into them.
    static let tables: [Table] = [
        .documents, .locals, .info, .expirations, .expiries, .indexes, .rows, .emitted, .entries,
    ]

    /// Whether a key needs more than its own bytes: those that are too long, and those that consist of zeros only. A
    /// store need not have an empty key, so n zeros are kept as n + 1 zeros, which changes no order.
    static func isPlain(_ key: UnsafeRawBufferPointer) -> Bool {
        unsafe key.count <= cut && !isZeros(key)
    }

    /// Whether no byte of a key differs from zero. The empty key is one of these.
    static func isZeros(_ key: UnsafeRawBufferPointer) -> Bool {
        for offset in 0..<key.count where unsafe key[offset] != 0 { return false }
        return true
    }

    /// Hands out a key as it stands in the store, in all its length.
    static func withStored<R>(
        _ key: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        guard unsafe isZeros(key) else { return try unsafe body(key) }
        var longer = KeyBuffer()
        defer { longer.removeAll() }
        longer.append(zeros: key.count + 1)
        return try unsafe body(longer.bytes)
    }

    /// The key that stands in the store as `stored`.
    @unsafe
    static func shown(_ stored: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard unsafe isZeros(stored) else { return unsafe stored }
        return unsafe UnsafeRawBufferPointer(rebasing: stored.dropLast())
    }

    /// The node that a continuation leads to.
    ///
    /// - Parameter parent: the node that it stands in, 0 for the table itself. A child is always newer, so a chain
    ///   cannot come back to where it has been.
    /// - Throws: `corrupt` (591) for anything else.
    static func node(_ value: UnsafeRawBufferPointer, under parent: UInt64) throws(StorageError) -> UInt64 {
        guard value.count == nodeLength else { throw .corrupt("A continuation of a long key has no node number") }
        let node = unsafe UInt64(bigEndian: value.loadUnaligned(as: UInt64.self))
        guard node > parent else { throw .corrupt("A continuation of a long key leads back") }
        return node
    }

    /// Whether a key of `chunks` belongs to `node`.
    static func belongs(_ key: UnsafeRawBufferPointer, to node: UInt64) -> Bool {
        guard key.count > nodeLength else { return false }
        return unsafe UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) == node
    }

    /// - Throws: `tooLarge` (413).
    static func checkLength(_ count: Int) throws(StorageError) {
        guard count <= maximumLength else {
            throw StorageError(
                .tooLarge,
                "A key would have \(count) bytes in the store; at most \(maximumLength) are allowed. Use a shorter one."
            )
        }
    }

    static var missingNode: StorageError { .corrupt("A continuation of a long key leads to nothing") }
}
