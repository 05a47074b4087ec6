internal import StorageProtocol

/// Whether keys that come in order are above all of a table's, so that they can be appended: pages are filled then, and
/// no key is looked up.
struct AppendPosition: ~Copyable {
    /// The table's last key when this was made.
    private var last = KeyBuffer()
    /// Whether a key has come that is above it.
    private var isPassed: Bool

    /// - Parameter cursor: one in the table; it is moved.
    init(_ cursor: some OrderedCursor) throws(StorageError) {
        isPassed = try !cursor.seek(.last)
        if !isPassed { unsafe last.append(cursor.key) }
    }

    /// Whether `key`, which is above all those asked about before, is above the table's.
    mutating func isAbove(_ key: UnsafeRawBufferPointer) -> Bool {
        if !isPassed {
            // A longer key shares a continuation with others; so it is above them only by the bytes of that.
            let shown = unsafe UnsafeRawBufferPointer(rebasing: key.prefix(LongKey.cut))
            unsafe isPassed = compareBytes(shown.bytes, last.bytes.bytes) > 0
        }
        return isPassed
    }
}
