internal import StorageProtocol

/// An ordered, transactional store of byte strings in the tables of `Table`: the interface of the key-value engine to a
/// library.
///
/// Keys are in `memcmp` order, a prefix first. The engine ensures that only one thread writes at a time, that a
/// transaction stays on its thread, and that nothing is called after `close`.
protocol OrderedStore: AnyObject, Sendable {
    associatedtype Transaction: OrderedTransaction

    /// Begins a snapshot. Must be ended.
    func beginRead() throws(StorageError) -> Transaction

    /// Begins the write transaction. Must be committed or ended.
    func beginWrite() throws(StorageError) -> Transaction

    /// Makes everything committed so far survive power loss, by any process and with any durability. Also moves what
    /// commits have left in a log into the data files, if the store has a log.
    func checkpoint() throws(StorageError)

    /// Gives the commits of all write transactions begun from now on `Durability.full`, until the store is closed. Does
    /// nothing if they already have it.
    func raiseDurability() throws(StorageError)

    /// Checks the store's own integrity.
    func verify(_ report: (StorageProblem) -> Void) throws(StorageError)

    /// Returns current figures. `openTransactions` is maintained by the engine and 0 here.
    func statistics() throws(StorageError) -> StorageStatistics

    /// Closes the store. There are no more live transactions.
    func close()
}

/// A snapshot, or the write transaction, whose reads see its own writes. Belongs to one thread.
protocol OrderedTransaction: AnyObject {
    associatedtype Cursor: StoreCursor

    /// The longest key in bytes that the store is given; the shortest has one. It is part of the store's format and
    /// never changes: longer keys of the tables are cut to this length (docs/reference/long-keys.md). Nil for a store
    /// that takes keys of any length. It then never has an entry in `chunks`.
    static var longestKey: Int? { get }

    /// Passes the value of `key` to `use`, or returns nil if there is none. The bytes are valid until the next write or
    /// the end of the transaction, and at least until `use` returns.
    func withValue<R>(
        of key: UnsafeRawBufferPointer,
        in table: Table,
        _ use: (UnsafeRawBufferPointer?) throws(StorageError) -> R
    ) throws(StorageError) -> R

    /// Returns a cursor without a position.
    func cursor(_ table: Table) throws(StorageError) -> Cursor

    /// Stores a value of `length` bytes, which `fill` writes into the memory that it receives. `fill` must fill all of
    /// it.
    ///
    /// - Returns: False if the key exists and `mode` is `insert`, or `new` in a store that detects it at no cost. Then
    ///   nothing was changed, and `fill` was not called.
    func put(
        _ key: UnsafeRawBufferPointer,
        in table: Table,
        length: Int,
        mode: PutMode,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool

    /// Removes a key.
    ///
    /// - Returns: False if it is missing and `mode` is `asked`, or `known` in a store that detects it at no cost.
    func remove(_ key: UnsafeRawBufferPointer, in table: Table, mode: RemoveMode) throws(StorageError) -> Bool

    /// Makes the writes visible, and permanent according to the store's durability. The transaction is over in either
    /// case.
    func commit() throws(StorageError)

    /// Ends a snapshot, or undoes the writes. Does nothing after `commit`.
    func end()
}

/// How `put` treats a key.
enum PutMode {
    /// Inserts or replaces.
    case upsert
    /// Inserts the key if it is missing. That costs a look-up in a store that is a log of changes.
    case insert
    /// Inserts a key that is known to be missing unless the store is damaged, so it need not be looked up.
    case new
    /// Inserts a key that is above all keys of the table; otherwise the result is a `storage` error.
    case append
}

/// How `remove` treats a key.
enum RemoveMode {
    /// The caller needs to know whether the key existed. That costs a look-up in a store that is a log of changes.
    case asked
    /// The key is known to exist unless the store is damaged, or the result does not matter.
    case known
}

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
