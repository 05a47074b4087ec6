internal import StorageProtocol

/// The greatest key in `documents`, as far as it is known in a write transaction, so that IDs in ascending order are
/// inserted without a look-up, and at the end of the table.
struct HighestID {
    /// The table has no key above this one.
    private var key: [UInt8] = []
    private var isKnown = false
    private var misses = 0
    private var inserts = 0

    /// Whether a plain key is known to be above all keys of the table.
    @inline(__always)
    func isBelow(_ id: UnsafeRawBufferPointer) -> Bool {
        guard isKnown else { return false }
        return unsafe compareBytes(key.span.bytes, id.bytes) < 0
    }

    /// Records that a plain key has been inserted.
    @inline(__always)
    mutating func didInsert(_ id: UnsafeRawBufferPointer) {
        guard unsafe isBelow(id) else { return }
        key.removeAll(keepingCapacity: true)
        unsafe key.append(contentsOf: id)
    }

    /// Discards what is known about the table.
    mutating func forget() { self = HighestID() }

    /// Records that a key was not found. The second time, looks up the greatest key. That costs more than a look-up
    /// that finds nothing, and pays off if more such keys follow.
    mutating func didMiss<Transaction: OrderedTransaction>(in transaction: Transaction) throws(StorageError) {
        misses += 1
        if misses == 2 { try find(in: transaction) }
    }

    /// Records that a new key is about to be inserted, which need not have been looked up. The same the second time.
    mutating func willInsert<Transaction: OrderedTransaction>(in transaction: Transaction) throws(StorageError) {
        inserts += 1
        if inserts == 2 { try find(in: transaction) }
    }

    private mutating func find<Transaction: OrderedTransaction>(in transaction: Transaction) throws(StorageError) {
        guard !isKnown else { return }
        let cursor = try transaction.cursor(.documents)
        defer { cursor.close() }
        if try cursor.seek(.last) { unsafe key.append(contentsOf: cursor.key) }
        isKnown = true
    }
}
