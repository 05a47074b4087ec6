#if RocksDB
internal import CSetteeRocksDB
internal import StorageProtocol

/// A snapshot of a RocksDB database, or its write transaction: changes in memory, which a commit writes.
@safe
final class RocksDBTransaction: OrderedTransaction {
    static var longestKey: Int? { nil }

    /// Nil once the transaction is over.
    private var handles: RocksDBHandles?
    /// The snapshot and how it is read; nil in a write transaction and beside another process.
    private let snapshot: OpaquePointer?
    let readOptions: OpaquePointer
    /// What was written; nil in a snapshot.
    private let batch: RocksDBBatch?
    /// The most bytes that it may have.
    private let limit: Int
    private let isSynced: Bool
    /// The error that doomed the write transaction.
    private var failure: StorageError?
    /// The first in a list of the open cursors.
    unowned(unsafe) var firstCursor: RocksDBCursor?

    init(reading handles: RocksDBHandles) {
        self.handles = handles
        // A secondary instance stays at the state that it has read.
        unsafe snapshot = handles.mode == .besideWriter ? nil : rocks_create_snapshot(handles.db)
        unsafe readOptions = handles.takeReadOptions()
        unsafe rocks_readoptions_set_snapshot(readOptions, snapshot)
        batch = nil
        isSynced = false
        limit = 0
    }

    init(writing handles: RocksDBHandles, isSynced: Bool, limit: Int) {
        self.handles = handles
        unsafe snapshot = nil
        unsafe readOptions = handles.newest
        batch = handles.takeBatch()
        self.isSynced = isSynced
        self.limit = limit
    }

    deinit { end() }

    var isSnapshot: Bool { batch == nil }

    /// Returns the database, if the transaction can be used. The caller keeps it until it has freed what RocksDB lends.
    @inline(__always)
    func live() throws(StorageError) -> RocksDBHandles {
        guard let handles, failure == nil, !handles.isInherited else { throw refusal }
        return handles
    }

    /// The reason why the transaction cannot be used.
    private var refusal: StorageError {
        if let handles, handles.isInherited { return .inherited }
        return failure ?? StorageError(.notOpen, "The transaction is over. Begin a new one.")
    }

    /// Returns the error for the text of a status, and frees the text. A write transaction can only be ended
    /// afterwards.
    func fail(_ text: UnsafeMutablePointer<CChar>, _ doing: String) -> StorageError {
        doom(unsafe RocksDBFailure(taking: text).error(doing))
    }

    private func doom(_ error: StorageError) -> StorageError {
        if !isSnapshot && error.code.isStorageFailure { failure = error }
        return error
    }

    // MARK: Reading

    func withValue<R>(
        of key: UnsafeRawBufferPointer,
        in table: Table,
        _ use: (UnsafeRawBufferPointer?) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let handles = try live()
        return try withExtendedLifetime(handles) { () throws(StorageError) in
            if let batch, let change = unsafe batch.change(of: key, in: table) {
                return try unsafe withValue(of: change, in: batch, use)
            }
            var failure: UnsafeMutablePointer<CChar>?
            let slice = unsafe rocks_get_pinned_cf(
                handles.db,
                readOptions,
                handles.family(table),
                key.characters,
                key.count,
                &failure
            )
            if let failure = unsafe failure { throw unsafe fail(failure, "Reading the table '\(table.name)'") }
            guard let slice = unsafe slice else { return try use(nil) }
            defer { unsafe rocks_pinnableslice_destroy(slice) }
            return unsafe try use(RocksDBTransaction.bytes(of: slice))
        }
    }

    /// Passes a copy, since `use` may write.
    private func withValue<R>(
        of change: RocksDBChange,
        in batch: RocksDBBatch,
        _ use: (UnsafeRawBufferPointer?) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        if change.isRemoval { return try use(nil) }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(change.valueLength), alignment: 8)
        defer { unsafe copy.deallocate() }
        unsafe copy.copyMemory(from: batch.value(of: change))
        return unsafe try use(UnsafeRawBufferPointer(copy))
    }

    static func bytes(of slice: OpaquePointer) -> UnsafeRawBufferPointer {
        var length = 0
        let start = unsafe rocks_pinnableslice_value(slice, &length)
        return unsafe UnsafeRawBufferPointer(start: start, count: length)
    }

    func cursor(_ table: Table, for use: CursorUse) throws(StorageError) -> RocksDBCursor {
        unsafe RocksDBCursor(self, try live(), table, snapshot, batch, use)
    }

    // MARK: Writing

    func put(
        _ key: UnsafeRawBufferPointer,
        in table: Table,
        length: Int,
        mode: PutMode,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        let batch = try writable(key.count + length)
        switch mode {
        case .upsert, .new: break
        case .insert: if try unsafe isThere(key, in: table) { return false }
        case .append: try unsafe requireLast(key, in: table, batch)
        }
        unsafe batch.put(key, in: table, length: length, fill)
        return true
    }

    func remove(_ key: UnsafeRawBufferPointer, in table: Table, mode: RemoveMode) throws(StorageError) -> Bool {
        let batch = try writable(key.count)
        if mode == .asked, try unsafe !isThere(key, in: table) { return false }
        unsafe batch.remove(key, in: table)
        return true
    }

    /// Removes the keys from `lower` up to `upper`, without `upper`, which must be above `lower`.
    func removeRange(
        from lower: UnsafeRawBufferPointer,
        to upper: UnsafeRawBufferPointer,
        in table: Table
    ) throws(StorageError) {
        try unsafe writable(lower.count + upper.count).removeRange(from: lower, to: upper, in: table)
    }

    private func isThere(_ key: UnsafeRawBufferPointer, in table: Table) throws(StorageError) -> Bool {
        try unsafe withValue(of: key, in: table) { unsafe $0 != nil }
    }

    /// Checks that a key is above all others of its table.
    private func requireLast(
        _ key: UnsafeRawBufferPointer,
        in table: Table,
        _ batch: RocksDBBatch
    ) throws(StorageError) {
        var isHighest = unsafe batch.isHighest(key, in: table)
        if isHighest == nil {
            let cursor = try cursor(table, for: CursorUse())
            defer { cursor.close() }
            _ = try cursor.seek(.last)
            unsafe batch.setHighest(cursor.key, in: table)
            isHighest = unsafe batch.isHighest(key, in: table)
        }
        guard isHighest == true else {
            throw doom(
                StorageError(
                    .storage,
                    "Writing the table '\(table.name)' failed: the key is not above all others, which the counters "
                        + "are wrong about. Run `settee check`, and restore from a copy or an export."
                )
            )
        }
    }

    /// Returns the batch.
    ///
    /// - Throws: `full` (507) if it has no room for a change of `length` bytes, `readOnly` (403) in a snapshot.
    private func writable(_ length: Int) throws(StorageError) -> RocksDBBatch {
        _ = try live()
        guard let batch else { throw .readOnly }
        guard batch.byteCount + length <= limit else {
            throw doom(
                StorageError(
                    .full,
                    "The transaction is too large: it has written \(limit >> 20) MiB, which are "
                        + "kept in memory. Roll back, and write in smaller batches."
                )
            )
        }
        return batch
    }

    // MARK: Ending

    func commit() throws(StorageError) {
        let handles: RocksDBHandles
        do throws(StorageError) {
            handles = try live()
        } catch {
            end()
            throw error
        }
        defer { end() }
        guard let batch, !batch.isEmpty else { return }
        closeCursors()
        do throws(StorageError) {
            try handles.write(batch, isSynced: isSynced)
        } catch {
            batch.forgetHighest()
            throw error
        }
        batch.removeAll()
    }

    func end() {
        guard let handles else { return }
        self.handles = nil
        // A child of fork leaves its parent's resources unchanged.
        if handles.isInherited { return }
        closeCursors()
        if let batch {
            if !batch.isEmpty { batch.forgetHighest() }
            handles.giveBack(batch)
        } else {
            unsafe handles.giveBack(readOptions: readOptions)
            if unsafe snapshot != nil { unsafe rocks_release_snapshot(handles.db, snapshot) }
        }
    }

    private func closeCursors() {
        while let cursor = unsafe firstCursor { cursor.close() }
    }
}
#endif
