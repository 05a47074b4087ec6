#if RocksDB
internal import CSetteeRocksDB
internal import StorageProtocol

/// A cursor in a column family. In the write transaction it goes over the batch and the database together.
///
/// Then the iterator of the database stands on the current key, or on the next one in the direction of the last step,
/// and so does the place in the batch. A change of the table makes the place in the batch wrong, which the next step
/// finds again by the current key.
@safe
final class RocksDBCursor: StoreCursor {
    let transaction: RocksDBTransaction
    let table: Table
    /// Nil once the cursor is closed.
    var iterator: OpaquePointer?
    var place = Place.nowhere
    /// What was written, in the write transaction.
    let batch: RocksDBBatch?
    /// Whether the last step went to higher keys.
    var goesUp = true
    /// The change on which the cursor stands, or the next in its direction; nil before the first.
    var change: RocksDBChanges.Place?
    /// The version of the table's changes for which `change` is right.
    var version = -1
    /// Of this cursor alone.
    private let readOptions: OpaquePointer
    /// What the options refer to.
    private let bounds: UnsafeMutableRawBufferPointer

    /// Neighbours in the transaction's list of open cursors.
    unowned(unsafe) private(set) var following: RocksDBCursor?
    private unowned(unsafe) var preceding: RocksDBCursor?

    enum Place {
        case nowhere
        /// The entry is the iterator's, and nothing in the batch changes it.
        case stored
        /// The entry was put, or removed, by a change in the batch.
        case changed(RocksDBChange)
    }

    /// How much is read ahead in walks over much.
    private static let readAhead = 1 << 20

    init(
        _ transaction: RocksDBTransaction,
        _ handles: RocksDBHandles,
        _ table: Table,
        _ snapshot: OpaquePointer?,
        _ batch: RocksDBBatch?,
        _ use: CursorUse
    ) {
        self.transaction = transaction
        self.table = table
        self.batch = batch
        unsafe readOptions = rocks_readoptions_create()
        unsafe rocks_readoptions_set_snapshot(readOptions, snapshot)
        if !use.fillsCaches {
            unsafe rocks_readoptions_set_fill_cache(readOptions, 0)
            unsafe rocks_readoptions_set_readahead_size(readOptions, RocksDBCursor.readAhead)
        }
        unsafe bounds = RocksDBCursor.copy(use)
        let lower = unsafe use.lower?.count ?? 0
        if unsafe use.lower != nil {
            unsafe rocks_readoptions_set_iterate_lower_bound(
                readOptions,
                UnsafeRawBufferPointer(bounds).characters,
                lower
            )
        }
        if let upper = unsafe use.upper {
            // RocksDB's bound is not part of the range, and one byte more is the next key.
            unsafe rocks_readoptions_set_iterate_upper_bound(
                readOptions,
                UnsafeRawBufferPointer(bounds).characters?.advanced(by: lower),
                upper.count + 1
            )
        }
        unsafe iterator = rocks_create_iterator_cf(handles.db, readOptions, handles.family(table))
        unsafe following = transaction.firstCursor
        unsafe following?.preceding = self
        unsafe transaction.firstCursor = self
    }

    deinit {
        close()
    }

    /// Copies the bounds, one behind the other, with a zero at the end.
    private static func copy(_ use: CursorUse) -> UnsafeMutableRawBufferPointer {
        guard unsafe use.lower != nil || use.upper != nil else {
            return unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
        }
        let lower = unsafe use.lower ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let upper = unsafe use.upper ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: lower.count + upper.count + 1, alignment: 1)
        unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<lower.count]).copyMemory(from: lower)
        unsafe UnsafeMutableRawBufferPointer(rebasing: memory[lower.count...]).copyMemory(from: upper)
        unsafe memory[memory.count - 1] = 0
        return unsafe memory
    }

    func live() throws(StorageError) -> OpaquePointer {
        _ = try transaction.live()
        guard let iterator = unsafe iterator else {
            throw StorageError(.notOpen, "The cursor is closed. Open a new one.")
        }
        return unsafe iterator
    }

    // MARK: The entry

    var key: UnsafeRawBufferPointer { unsafe entry(rocks_iter_key) { unsafe $0.key(of: $1) } }
    var value: UnsafeRawBufferPointer { unsafe entry(rocks_iter_value) { unsafe $0.value(of: $1) } }

    /// Returns a part of the entry, as it is stored or as it was put.
    @inline(__always)
    private func entry(
        _ stored: (OpaquePointer, UnsafeMutablePointer<Int>) -> UnsafePointer<CChar>?,
        _ changed: (RocksDBBatch, RocksDBChange) -> UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        if let iterator = unsafe iterator {
            switch place {
            case .stored: return unsafe bytes(stored, iterator)
            case .changed(let change): if let batch, !change.isRemoval { return unsafe changed(batch, change) }
            case .nowhere: break
            }
        }
        return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }

    @inline(__always)
    func bytes(
        _ part: (OpaquePointer, UnsafeMutablePointer<Int>) -> UnsafePointer<CChar>?,
        _ iterator: OpaquePointer
    ) -> UnsafeRawBufferPointer {
        var length = 0
        let start = unsafe part(iterator, &length)
        return unsafe UnsafeRawBufferPointer(start: start, count: length)
    }

    func put(
        _ key: UnsafeRawBufferPointer,
        length: Int,
        mode: PutMode,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        unsafe _ = try live()
        defer { place = .nowhere }
        return try unsafe transaction.put(key, in: table, length: length, mode: mode, fill)
    }

    func remove() throws(StorageError) {
        unsafe _ = try live()
        let key = unsafe key
        guard unsafe key.baseAddress != nil, let batch else {
            throw StorageError(.storage, "The cursor stands on no entry that it could remove.")
        }
        _ = try unsafe transaction.remove(key, in: table, mode: .known)
        if let change = batch.lastAdded { place = .changed(change) }
    }

    func close() {
        guard let iterator = unsafe iterator else { return }
        unsafe self.iterator = nil
        place = .nowhere
        if let preceding = unsafe preceding {
            unsafe preceding.following = following
        } else {
            unsafe transaction.firstCursor = following
        }
        unsafe following?.preceding = preceding
        unsafe rocks_iter_destroy(iterator)
        unsafe rocks_readoptions_destroy(readOptions)
        unsafe bounds.deallocate()
    }
}
#endif
