internal import StorageProtocol

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
