internal import StorageProtocol

/// A cursor in a table.
protocol OrderedCursor: AnyObject {
    /// Moves to an entry. Returns false if there is none: the cursor then has no position.
    func seek(_ place: CursorPlace) throws(StorageError) -> Bool

    /// Moves to the next entry (after `remove`: the one that followed). Returns false at the end.
    func next() throws(StorageError) -> Bool

    /// Moves to the previous entry. Returns false at the beginning.
    func previous() throws(StorageError) -> Bool

    /// The key of the current entry. Valid until the cursor moves, or the transaction writes or ends.
    var key: UnsafeRawBufferPointer { get }
    /// The value of the current entry. Valid as long as `key` is.
    var value: UnsafeRawBufferPointer { get }

    /// Removes the current entry.
    func remove() throws(StorageError)

    /// Releases the cursor. The end of its transaction does this too.
    func close()
}

/// A cursor in a table of the store itself, through which the table can also be written.
protocol StoreCursor: OrderedCursor {
    /// Like `OrderedTransaction.put`, into the cursor's table. Cheaper than that near the cursor's previous position,
    /// so keys in order are written through a cursor. Afterwards the cursor has no position.
    func put(
        _ key: UnsafeRawBufferPointer,
        length: Int,
        mode: PutMode,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool
}

/// Where to move a cursor.
@safe
enum CursorPlace {
    case first
    case last
    /// The first entry whose key is this or above.
    case atOrAfter(UnsafeRawBufferPointer)
    /// The last entry whose key is below.
    case before(UnsafeRawBufferPointer)
}

/// What a cursor is made for. A store may ignore it.
@safe
struct CursorUse {
    /// The lowest key that is wanted, nil for any. A cursor may behave as if there were none below it, and need not:
    /// its user compares the keys.
    var lower: UnsafeRawBufferPointer?
    /// The highest key that is wanted, in the same way. Both bounds are valid only while the cursor is made.
    var upper: UnsafeRawBufferPointer?
    /// False for a walk over much that nobody will read again soon. It may be read ahead, and should not displace what
    /// a cache has.
    var fillsCaches = true

    init(fillsCaches: Bool = true) {
        unsafe (lower, upper) = (nil, nil)
        self.fillsCaches = fillsCaches
    }

    init(lower: UnsafeRawBufferPointer?, upper: UnsafeRawBufferPointer?, fillsCaches: Bool = true) {
        unsafe self.lower = unsafe lower
        unsafe self.upper = unsafe upper
        self.fillsCaches = fillsCaches
    }

    /// A walk over a whole table.
    static var wholeTable: CursorUse { CursorUse(fillsCaches: false) }
}
