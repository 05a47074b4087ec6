internal import StorageEngineKit
internal import StorageProtocol

/// The `LongKeyLayout` of this engine: its numbers, which are part of the format, and its functions on the bytes of a
/// store. The format is described in docs/reference/long-keys.md.
enum LongKey {
    /// Every underlying store accepts keys of this length. Computed, so that the compiler can inline the numbers.
    static var layout: LongKeyLayout { LongKeyLayout(longestKey: 481) }
    /// The maximum length of a key that is stored as it is.
    static var cut: Int { layout.cut }
    /// How many bytes of a key one continuation of the table `chunks` holds.
    static var chunk: Int { layout.chunk }
    /// The tables with long keys. `chunks` holds what does not fit into them.
    static let tables: [Table] = [
        .documents, .locals, .info, .expirations, .expiries, .indexes, .rows, .emitted, .entries,
    ]

    /// Whether a key is stored as it is.
    @inline(__always)
    static func isPlain(_ key: UnsafeRawBufferPointer) -> Bool { unsafe layout.isPlain(key.bytes) }

    /// Passes a key as it is stored, in its full length, to `body`.
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

    /// Returns the key that is stored as `stored`.
    @unsafe
    static func shown(_ stored: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard unsafe LongKeyLayout.isZeros(stored.bytes) else { return unsafe stored }
        return unsafe UnsafeRawBufferPointer(rebasing: stored.dropLast())
    }

    /// Returns the node that a continuation leads to, see `LongKeyLayout.node`.
    static func node(_ value: UnsafeRawBufferPointer, under parent: UInt64) throws(StorageError) -> UInt64 {
        try unsafe LongKeyLayout.node(value.bytes, under: parent)
    }

    /// Whether a key of `chunks` belongs to `node`.
    static func belongs(_ key: UnsafeRawBufferPointer, to node: UInt64) -> Bool {
        guard key.count > LongKeyLayout.nodeLength else { return false }
        return unsafe UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) == node
    }
}
