internal import StorageEngineKit
internal import StorageProtocol

/// Detects whether keys that come in order are above all keys of a table. They can then be appended, which fills pages
/// and needs no look-up.
struct AppendPosition: ~Copyable {
    /// The table's last key when this was made.
    private var last = KeyBuffer()
    /// Whether there has been a key above it.
    private var isPassed: Bool
    /// How many bytes of a key the table itself holds.
    private let cut: Int

    /// - Parameter cursor: A cursor in the table; it is moved.
    init(_ cursor: some OrderedCursor, _ layout: LongKeyLayout) throws(StorageError) {
        cut = layout.cut
        isPassed = try !cursor.seek(.last)
        if !isPassed { unsafe last.append(cursor.key) }
    }

    /// Whether `key`, which must be above all those passed before, is above the table's last key.
    mutating func isAbove(_ key: UnsafeRawBufferPointer) -> Bool {
        if !isPassed {
            // A longer key shares a continuation with others, so it is above them only if the bytes of that
            // continuation are.
            let shown = unsafe UnsafeRawBufferPointer(rebasing: key.prefix(cut))
            unsafe isPassed = compareBytes(shown.bytes, last.bytes.bytes) > 0
        }
        return isPassed
    }
}
