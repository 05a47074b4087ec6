internal import StorageProtocol

/// `LongKeyLayout` as this engine has it: its numbers, which are part of the format, and what it asks of the bytes of a
/// store. docs/reference/long-keys.md is the format.
enum LongKey {
    /// Every store below takes keys of that length. Computed, so that the compiler has numbers where they are used.
    static var layout: LongKeyLayout { LongKeyLayout(longestKey: 481) }
    /// The longest key that is stored as it is.
    static var cut: Int { layout.cut }
    /// How many bytes of a key stand in one continuation of the table `chunks`.
    static var chunk: Int { layout.chunk }
    /// The tables with long keys; `chunks` holds what does not fit into them.
    static let tables: [Table] = [
        .documents, .locals, .info, .expirations, .expiries, .indexes, .rows, .emitted, .entries,
    ]

    /// Whether a key is stored as it is.
    @inline(__always)
    static func isPlain(_ key: UnsafeRawBufferPointer) -> Bool { unsafe layout.isPlain(key.bytes) }

    /// Hands out a key as it stands in the store, in all its length.
    static func withStored<R>(
        _ key: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        guard unsafe LongKeyLayout.isZeros(key.bytes) else { return try unsafe body(key) }
        var longer = KeyBuffer()
        defer { longer.removeAll() }
        longer.append(zeros: key.count + 1)
        return try unsafe body(longer.bytes)
    }

    /// The key that stands in the store as `stored`.
    @unsafe
    static func shown(_ stored: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard unsafe LongKeyLayout.isZeros(stored.bytes) else { return unsafe stored }
        return unsafe UnsafeRawBufferPointer(rebasing: stored.dropLast())
    }

    /// The node that a continuation leads to, as `LongKeyLayout.node`.
    static func node(_ value: UnsafeRawBufferPointer, under parent: UInt64) throws(StorageError) -> UInt64 {
        try unsafe LongKeyLayout.node(value.bytes, under: parent)
    }

    /// Whether a key of `chunks` belongs to `node`.
    static func belongs(_ key: UnsafeRawBufferPointer, to node: UInt64) -> Bool {
        guard key.count > LongKeyLayout.nodeLength else { return false }
        return unsafe UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) == node
    }
}
