#if RocksDB
internal import CSetteeRocksDB
internal import StorageProtocol

/// A snapshot of a RocksDB database, or its write transaction: a batch in memory with an index, which a commit writes.
@safe
final class RocksDBTransaction: OrderedTransaction {
    static var longestKey: Int? { nil }

    /// Nil once the transaction is over.
    private var handles: RocksDBHandles?
    /// The snapshot and how it is read; nil in a write transaction.
    private let snapshot: OpaquePointer?
    private let readOptions: OpaquePointer
    /// What was written; nil in a snapshot.
    private let batch: OpaquePointer?
    /// The bytes in the batch, and the most that it may have.
    private var batchBytes = 0
    private let limit: Int
    private let isSynced: Bool
    /// The error that doomed the write transaction.
    private var failure: StorageError?
    /// A key and a value that are passed to the batch.
    private var scratch = KeyBuffer()
    /// The highest keys of the tables, as far as appending has looked. A removal makes them unknown again.
    private var appended: [[UInt8]?] = []
    /// The first in a list of the open cursors.
    unowned(unsafe) var firstCursor: RocksDBCursor?

    /// How many keys are looked up together, at first and later.
    private static let keysAtFirst = 8
    private static let keysAtOnce = 64

    init(reading handles: RocksDBHandles) {
        self.handles = handles
        unsafe snapshot = rocks_create_snapshot(handles.db)
        unsafe readOptions = handles.takeReadOptions()
        unsafe rocks_readoptions_set_snapshot(readOptions, snapshot)
        unsafe batch = nil
        isSynced = false
        limit = 0
    }

    init(writing handles: RocksDBHandles, isSynced: Bool, limit: Int) {
        self.handles = handles
        unsafe snapshot = nil
        unsafe readOptions = handles.newest
        unsafe batch = handles.takeBatch()
        self.isSynced = isSynced
        self.limit = limit
    }

    deinit { end() }

    var isSnapshot: Bool { unsafe batch == nil }

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
            if let batch = unsafe batch, batchBytes > 0 {
                return unsafe try withValue(of: key, in: table, batch, handles, use)
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

    /// Looks in the batch first.
    @unsafe
    private func withValue<R>(
        of key: UnsafeRawBufferPointer,
        in table: Table,
        _ batch: OpaquePointer,
        _ handles: RocksDBHandles,
        _ use: (UnsafeRawBufferPointer?) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        var failure: UnsafeMutablePointer<CChar>?
        var length = 0
        let value = unsafe rocks_writebatch_wi_get_from_batch_and_db_cf(
            batch,
            handles.db,
            readOptions,
            handles.family(table),
            key.characters,
            key.count,
            &length,
            &failure
        )
        if let failure = unsafe failure { throw unsafe fail(failure, "Reading the table '\(table.name)'") }
        guard let value = unsafe value else { return try use(nil) }
        defer { unsafe rocks_free(value) }
        return unsafe try use(UnsafeRawBufferPointer(start: value, count: length))
    }

    private static func bytes(of slice: OpaquePointer) -> UnsafeRawBufferPointer {
        var length = 0
        let start = unsafe rocks_pinnableslice_value(slice, &length)
        return unsafe UnsafeRawBufferPointer(start: start, count: length)
    }

    /// Snapshots look several keys up together.
    func values(
        of keys: some KeyList,
        in table: Table,
        _ use: (_ number: Int, _ key: UnsafeRawBufferPointer, UnsafeRawBufferPointer?) throws(StorageError) -> Bool
    ) throws(StorageError) {
        guard isSnapshot, keys.count > 1 else { return try unsafe valuesOneByOne(of: keys, in: table, use) }
        let handles = try live()
        try withExtendedLifetime(handles) { () throws(StorageError) in
            var first = 0
            while first < keys.count {
                let most = first == 0 ? RocksDBTransaction.keysAtFirst : RocksDBTransaction.keysAtOnce
                let numbers = first..<min(first + most, keys.count)
                guard try unsafe look(up: keys, numbers, in: table, handles, use) else { return }
                first = numbers.upperBound
                _ = try live()
            }
        }
    }

    /// Looks up some of the keys.
    ///
    /// - Returns: false if `use` did.
    private func look(
        up keys: some KeyList,
        _ numbers: Range<Int>,
        in table: Table,
        _ handles: RocksDBHandles,
        _ use: (_ number: Int, _ key: UnsafeRawBufferPointer, UnsafeRawBufferPointer?) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        // The keys are only valid while they are shown.
        var copies = KeyBuffer()
        var lengths: [Int] = []
        lengths.reserveCapacity(numbers.count)
        for number in numbers {
            try unsafe keys.withKey(number) { (key) throws(StorageError) in
                unsafe copies.append(key)
                lengths.append(key.count)
            }
        }
        var starts: [UnsafePointer<CChar>?] = unsafe []
        var offset = 0
        for length in lengths {
            unsafe starts.append(copies.bytes.baseAddress?.assumingMemoryBound(to: CChar.self).advanced(by: offset))
            offset += length
        }
        var slices = unsafe [OpaquePointer?](repeating: nil, count: numbers.count)
        var failures = unsafe [UnsafeMutablePointer<CChar>?](repeating: nil, count: numbers.count)
        unsafe rocks_batched_multi_get_cf(
            handles.db,
            readOptions,
            handles.family(table),
            numbers.count,
            starts,
            lengths,
            &slices,
            &failures,
            true
        )
        defer {
            for place in unsafe slices.indices {
                if let slice = unsafe slices[place] { unsafe rocks_pinnableslice_destroy(slice) }
            }
        }
        var failure: StorageError?
        for place in unsafe failures.indices {
            guard let text = unsafe failures[place] else { continue }
            failure = unsafe fail(text, "Reading the table '\(table.name)'")
        }
        if let failure { throw failure }
        for place in lengths.indices {
            let key = unsafe UnsafeRawBufferPointer(start: starts[place], count: lengths[place])
            let value = unsafe slices[place].map { unsafe RocksDBTransaction.bytes(of: $0) }
            guard try unsafe use(numbers.lowerBound + place, key, value) else { return false }
        }
        return true
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
        let (handles, batch) = unsafe try writable()
        switch mode {
        case .upsert, .new: break
        case .insert: if try unsafe isThere(key, in: table) { return false }
        case .append: try unsafe requireLast(key, in: table)
        }
        unsafe try prepare(key, valueLength: length, in: table)
        unsafe scratch.append(atMost: length) {
            unsafe fill($0)
            return length
        }
        let bytes = unsafe scratch.bytes
        unsafe rocks_writebatch_wi_put_cf(
            batch,
            handles.family(table),
            bytes.characters,
            key.count,
            bytes.characters?.advanced(by: key.count),
            length
        )
        return true
    }

    func remove(_ key: UnsafeRawBufferPointer, in table: Table, mode: RemoveMode) throws(StorageError) -> Bool {
        let (handles, batch) = unsafe try writable()
        if mode == .asked, try unsafe !isThere(key, in: table) { return false }
        if !appended.isEmpty { appended[table.rawValue] = nil }
        unsafe try prepare(key, valueLength: 0, in: table)
        unsafe rocks_writebatch_wi_delete_cf(batch, handles.family(table), scratch.bytes.characters, key.count)
        return true
    }

    private func isThere(_ key: UnsafeRawBufferPointer, in table: Table) throws(StorageError) -> Bool {
        try unsafe withValue(of: key, in: table) { unsafe $0 != nil }
    }

    /// Checks that a key is above all others of its table.
    private func requireLast(_ key: UnsafeRawBufferPointer, in table: Table) throws(StorageError) {
        if appended.isEmpty { appended = Array(repeating: nil, count: Table.allCases.count) }
        if appended[table.rawValue] == nil {
            let cursor = try cursor(table, for: CursorUse())
            defer { cursor.close() }
            appended[table.rawValue] = try cursor.seek(.last) ? unsafe Array(cursor.key) : []
        }
        let isAbove = appended[table.rawValue].map { last in
            unsafe last.withUnsafeBytes { unsafe compareBytes($0.bytes, key.bytes) < 0 }
        }
        guard isAbove == true else {
            throw doom(
                StorageError(
                    .storage,
                    "Writing the table '\(table.name)' failed: the key is not above all others, which the counters "
                        + "are wrong about. Run `settee check`, and restore from a copy or an export."
                )
            )
        }
        appended[table.rawValue] = unsafe Array(key)
    }

    /// Counts the bytes of a change, lets cursors in the table leave the key where they are, and copies the key, which
    /// may lie in the batch's own memory.
    private func prepare(
        _ key: UnsafeRawBufferPointer,
        valueLength: Int,
        in table: Table
    ) throws(StorageError) {
        batchBytes += key.count + valueLength + 64
        guard batchBytes <= limit else {
            throw doom(
                StorageError(
                    .full,
                    "The transaction is too large: it has written \(limit >> 20) MiB, which are "
                        + "kept in memory. Roll back, and write in smaller batches."
                )
            )
        }
        var cursor = unsafe firstCursor
        while let here = cursor {
            if here.table == table { here.leave() }
            cursor = unsafe here.following
        }
        scratch.removeAll()
        unsafe scratch.append(key)
    }

    private func writable() throws(StorageError) -> (RocksDBHandles, OpaquePointer) {
        let handles = try live()
        guard let batch = unsafe batch else { throw .readOnly }
        return unsafe (handles, batch)
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
        guard let batch = unsafe batch, batchBytes > 0 else { return }
        closeCursors()
        let options = unsafe rocks_writeoptions_create()
        defer { unsafe rocks_writeoptions_destroy(options) }
        unsafe rocks_writeoptions_set_sync(options, isSynced ? 1 : 0)
        var failure: UnsafeMutablePointer<CChar>?
        unsafe rocks_write_writebatch_wi(handles.db, options, batch, &failure)
        try unsafe handles.check(failure, "Writing the log")
    }

    func end() {
        guard let handles else { return }
        self.handles = nil
        // A child of fork leaves its parent's resources unchanged.
        if handles.isInherited { return }
        closeCursors()
        if let batch = unsafe batch {
            unsafe handles.giveBack(batch: batch, isLarge: batchBytes > 4 << 20)
        } else {
            unsafe handles.giveBack(readOptions: readOptions)
            unsafe rocks_release_snapshot(handles.db, snapshot)
        }
    }

    private func closeCursors() {
        while let cursor = unsafe firstCursor { cursor.close() }
    }
}
#endif
