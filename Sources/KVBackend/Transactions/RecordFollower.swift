internal import StorageProtocol

/// Finds the records of a walk in the order of sequences. Documents that were imported in the order of their IDs are
/// neighbours in the table: then the next record is one step of a cursor away, instead of a search from the root.
final class RecordFollower<Transaction: OrderedTransaction> {
    private let base: Transaction
    private let fillsCaches: Bool
    private var cursor: LongKeyCursor<Transaction>?
    private var isPlaced = false
    /// How many records were asked for before the cursor is used: for a few it is not worth one.
    private var waits = RecordFollower.fewest
    /// How often in a row the next record was another one.
    private var misses = 0

    private static var fewest: Int { 8 }
    private static var mostMisses: Int { 8 }

    /// - Parameter fillsCaches: See `CursorUse`.
    init(_ base: Transaction, fillsCaches: Bool) {
        self.base = base
        self.fillsCaches = fillsCaches
    }

    /// Returns the stored record of an ID, or nil if it must be searched for. Valid as long as the bytes that the store
    /// lends, and until the next call.
    @unsafe
    func record(_ id: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
        if waits > 0 {
            waits -= 1
            return nil
        }
        if misses > RecordFollower.mostMisses { return nil }
        let cursor: LongKeyCursor<Transaction>
        if let open = self.cursor {
            cursor = open
        } else {
            cursor = try LongKeyTable(.documents, in: base).cursor(fillsCaches: fillsCaches)
            self.cursor = cursor
        }
        if isPlaced, try cursor.next(), unsafe compareBytes(cursor.key.bytes, id.bytes) == 0 {
            misses = 0
            return unsafe cursor.value
        }
        misses += 1
        isPlaced = try unsafe cursor.seek(.atOrAfter(id)) && compareBytes(cursor.key.bytes, id.bytes) == 0
        return unsafe isPlaced ? cursor.value : nil
    }

    func close() { cursor?.close() }
}
