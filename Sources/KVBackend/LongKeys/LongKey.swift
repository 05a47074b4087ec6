internal import StorageEngineKit
internal import StorageProtocol

extension OrderedTransaction {
    /// How the store holds long keys: docs/reference/long-keys.md with its `longestKey`. A store without a limit gets
    /// one above the longest key, so that nothing is cut; a key of zeros is stored with one more zero, which counts,
    /// too.
    @inline(__always)
    static var keyLayout: LongKeyLayout {
        LongKeyLayout(longestKey: longestKey ?? LongKeyLayout.maximumLength + 2)
    }
}

/// The functions of `LongKeyLayout` on the bytes of a store.
enum LongKey {
    /// The tables with long keys. `chunks` holds what does not fit into them.
    static let tables: [Table] = [
        .documents, .locals, .info, .expirations, .expiries, .indexes, .rows, .emitted, .entries,
    ]

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
