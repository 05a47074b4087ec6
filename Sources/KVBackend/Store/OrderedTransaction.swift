internal import StorageProtocol

/// A snapshot, or the write transaction, whose reads see its own writes. Belongs to one thread.
///
/// Several calls have a default implementation that uses the others. A store that has something faster implements them.
protocol OrderedTransaction: AnyObject {
    associatedtype Cursor: StoreCursor

    /// The longest key in bytes that the store is given; the shortest has one. It is part of the store's format and
    /// never changes: longer keys of the tables are cut to this length (docs/reference/long-keys.md). Nil for a store
    /// that takes keys of any length. It then never has an entry in `chunks`.
    static var longestKey: Int? { get }

    /// Passes the value of `key` to `use`, or nil if there is none. The bytes are valid until `use` returns, even if it
    /// writes or ends the transaction.
    func withValue<R>(
        of key: UnsafeRawBufferPointer,
        in table: Table,
        _ use: (UnsafeRawBufferPointer?) throws(StorageError) -> R
    ) throws(StorageError) -> R

    /// Passes the values of several keys to `use`, in the order of the keys, until it returns false; nil for a key that
    /// is missing. The bytes are valid until `use` returns. A store may look the keys up together, before the first
    /// call of `use`. By default each is looked up when its turn comes.
    ///
    /// - Parameter use: It does not write. It may end the transaction if it then throws or returns false.
    func values(
        of keys: some KeyList,
        in table: Table,
        _ use: (_ number: Int, _ key: UnsafeRawBufferPointer, UnsafeRawBufferPointer?) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// Returns a cursor without a position.
    func cursor(_ table: Table, for use: CursorUse) throws(StorageError) -> Cursor

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

    /// Removes the entries whose keys are in `range`. By default a cursor goes over them.
    ///
    /// - Parameter end: When to stop, after a few entries; nil: never. A store may do without, if it needs no time for
    ///   each entry.
    func removeRange(
        _ range: ByteRange,
        in table: Table,
        until end: ContinuousClock.Instant?
    ) throws(StorageError) -> RangeRemoval

    /// Makes the writes visible, and permanent according to the store's durability. The transaction is over in either
    /// case.
    func commit() throws(StorageError)

    /// Ends a snapshot, or undoes the writes. Does nothing after `commit`.
    func end()
}

extension OrderedTransaction {
    @inline(__always)
    func values(
        of keys: some KeyList,
        in table: Table,
        _ use: (_ number: Int, _ key: UnsafeRawBufferPointer, UnsafeRawBufferPointer?) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try unsafe valuesOneByOne(of: keys, in: table, use)
    }

    /// The default of `values`.
    @inline(__always)
    func valuesOneByOne(
        of keys: some KeyList,
        in table: Table,
        _ use: (_ number: Int, _ key: UnsafeRawBufferPointer, UnsafeRawBufferPointer?) throws(StorageError) -> Bool
    ) throws(StorageError) {
        for number in 0..<keys.count {
            let goesOn = try unsafe keys.withKey(number) { (key) throws(StorageError) in
                try unsafe withValue(of: key, in: table) { (value) throws(StorageError) in
                    try unsafe use(number, key, value)
                }
            }
            if !goesOn { return }
        }
    }

    func removeRange(
        _ range: ByteRange,
        in table: Table,
        until end: ContinuousClock.Instant?
    ) throws(StorageError) -> RangeRemoval {
        let cursor = try cursor(table)
        defer { cursor.close() }
        return try cursor.removeEntries(in: range, until: end)
    }

    /// Returns a cursor that may go anywhere in the table.
    @inline(__always)
    func cursor(_ table: Table) throws(StorageError) -> Cursor { try cursor(table, for: CursorUse()) }
}

/// Keys that are looked up together, in ascending order; some may be equal.
protocol KeyList {
    var count: Int { get }

    /// Passes the bytes of one of the keys to `body`.
    func withKey<R>(
        _ number: Int,
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
    ) throws(StorageError) -> R
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

/// What `removeRange` has done.
struct RangeRemoval {
    /// Whether no entry of the range is left.
    var isComplete: Bool
    /// Whether an entry was removed; true if the store does not know. The commit then counts as a change.
    var hasRemoved: Bool
}
