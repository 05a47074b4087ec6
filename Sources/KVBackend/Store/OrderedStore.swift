internal import StorageProtocol

/// An ordered, transactional store of byte strings in the tables of `Table`: what the key-value engine asks of a
/// library.
///
/// Keys are ordered as memcmp orders them, a prefix first. The engine above sees to it that one thread writes at a
/// time, that a transaction stays on its thread, and that nothing is called after `close`.
protocol OrderedStore: AnyObject, Sendable {
    associatedtype Transaction: OrderedTransaction

    /// Begins a snapshot. Must be ended.
    func beginRead() throws(StorageError) -> Transaction

    /// Begins the write transaction. Must be committed or ended.
    func beginWrite() throws(StorageError) -> Transaction

    /// Moves what commits have left in a log into the data files.
    func checkpoint() throws(StorageError)

    /// The store's own integrity.
    func verify(_ report: (StorageProblem) -> Void) throws(StorageError)

    /// Figures as of now; `openTransactions` is the engine's business and 0 here.
    func statistics() throws(StorageError) -> StorageStatistics

    /// Ends the store. No transaction lives any more.
    func close()
}

/// A snapshot, or the write transaction, whose reads see its own writes. Belongs to one thread.
protocol OrderedTransaction: AnyObject {
    associatedtype Cursor: StoreCursor

    /// Hands the value of `key` to `use`, nil where there is none. The bytes are valid until the next write or the end
    /// of the transaction at least until `use` returns.
    func withValue<R>(
        of key: UnsafeRawBufferPointer,
        in table: Table,
        _ use: (UnsafeRawBufferPointer?) throws(StorageError) -> R
    ) throws(StorageError) -> R

    /// A cursor that stands nowhere.
    func cursor(_ table: Table) throws(StorageError) -> Cursor

    /// Stores a value of `length` bytes, which `fill` writes into the memory that it is handed. `fill` must fill all of
    /// it.
    ///
    /// - Returns: false where the key is there and `mode` is `insert`, or `new` in a store that sees it for free:
    ///   nothing was changed, `fill` was not called.
    func put(
        _ key: UnsafeRawBufferPointer,
        in table: Table,
        length: Int,
        mode: PutMode,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool

    /// Removes a key.
    ///
    /// - Returns: false where it is not there and `mode` is `asked`, or `known` in a store that sees it for free.
    func remove(_ key: UnsafeRawBufferPointer, in table: Table, mode: RemoveMode) throws(StorageError) -> Bool

    /// Makes the writes visible, and permanent as the store's durability says; the transaction is over either way.
    func commit() throws(StorageError)

    /// Ends a snapshot, or undoes the writes. Nothing after `commit`.
    func end()
}

/// How `put` treats a key.
enum PutMode {
    /// Inserts or replaces.
    case upsert
    /// Inserts, if the key is not there. That costs a look-up where a store is a log of changes.
    case insert
    /// Inserts a key that is known not to be there, unless the store is damaged: it need not be looked up.
    case new
    /// Inserts a key that is above all of the table's; another one is a `storage` error.
    case append
}

/// How `remove` treats a key.
enum RemoveMode {
    /// The caller wants to know whether it was there. That costs a look-up where a store is a log of changes.
    case asked
    /// It is known to be there, unless the store is damaged, or nobody wants to know.
    case known
}

/// A place in a table.
protocol OrderedCursor: AnyObject {
    /// Goes to an entry. False where there is none: the cursor then stands nowhere.
    func seek(_ place: CursorPlace) throws(StorageError) -> Bool

    /// Goes to the next entry (after `remove`: the one that followed). False at the end.
    func next() throws(StorageError) -> Bool

    /// Goes to the entry before. False at the beginning.
    func previous() throws(StorageError) -> Bool

    /// The present entry's key. Valid until the cursor moves, or the transaction writes or ends.
    var key: UnsafeRawBufferPointer { get }
    /// The present entry's value. Valid as long as `key` is.
    var value: UnsafeRawBufferPointer { get }

    /// Removes the present entry.
    func remove() throws(StorageError)

    /// Lets the cursor go. Also done by the end of its transaction.
    func close()
}

/// A place in a table of the store itself, from which it can also be written.
protocol StoreCursor: OrderedCursor {
    /// As `OrderedTransaction.put`, into the cursor's table. Cheaper than that near where the cursor was before, so
    /// keys in order are written through one. Afterwards the cursor stands nowhere.
    func put(
        _ key: UnsafeRawBufferPointer,
        length: Int,
        mode: PutMode,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool
}

/// Where a cursor is to go.
@safe
enum CursorPlace {
    case first
    case last
    /// The first entry whose key is this or above.
    case atOrAfter(UnsafeRawBufferPointer)
    /// The last entry whose key is below.
    case before(UnsafeRawBufferPointer)
}
