internal import StorageProtocol

/// What a write transaction knows of the greatest key in `documents`, so that IDs in ascending order are inserted
/// without a look-up, and at the end of the table.
struct HighestID {
    /// No key of the table is above this one.
    private var key: [UInt8] = []
    private var isKnown = false
    private var misses = 0

    /// Whether a plain key is above all of the table, as far as is known.
    @inline(__always)
    func isBelow(_ id: UnsafeRawBufferPointer) -> Bool {
        guard isKnown else { return false }
        return unsafe compareBytes(key.span.bytes, id.bytes) < 0
    }

    /// Notes that a plain key is in the table now.
    @inline(__always)
    mutating func didInsert(_ id: UnsafeRawBufferPointer) {
        guard unsafe isBelow(id) else { return }
        key.removeAll(keepingCapacity: true)
        unsafe key.append(contentsOf: id)
    }

    /// Notes that nothing is known of the table any more.
    mutating func forget() { self = HighestID() }

    /// Notes that a key was not found. The second time the greatest key is looked up: it costs more than a look-up that
    /// finds nothing, and pays where more follow.
    mutating func didMiss<Transaction: OrderedTransaction>(in transaction: Transaction) throws(StorageError) {
        guard !isKnown else { return }
        misses += 1
        guard misses == 2 else { return }
        let cursor = try transaction.cursor(.documents)
        defer { cursor.close() }
        if try cursor.seek(.last) { unsafe key.append(contentsOf: cursor.key) }
        isKnown = true
    }
}
