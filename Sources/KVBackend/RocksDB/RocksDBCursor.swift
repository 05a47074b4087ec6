#if RocksDB
internal import CSetteeRocksDB
internal import StorageProtocol

/// A cursor in a column family. In the write transaction it goes over the batch and the database together.
///
/// An iterator over both must not stand on a key that changes, and does not see what is written just behind it. So each
/// write to the table makes the cursor leave its place (`leave`), and the next step seeks that place again.
@safe
final class RocksDBCursor: StoreCursor {
    private let transaction: RocksDBTransaction
    let table: Table
    /// Nil once the cursor is closed.
    private var iterator: OpaquePointer?
    private var place = Place.nowhere
    /// The key of the place that was left.
    private var left = KeyBuffer()
    /// Of this cursor alone.
    private let readOptions: OpaquePointer
    /// What the options refer to.
    private let bounds: UnsafeMutableRawBufferPointer

    /// Neighbours in the transaction's list of open cursors.
    unowned(unsafe) private(set) var following: RocksDBCursor?
    private unowned(unsafe) var preceding: RocksDBCursor?

    private enum Place {
        case nowhere
        /// The iterator stands on the entry.
        case entry
        /// The entry is that of the key `left`, or was removed.
        case left
        case removed
    }

    /// How much is read ahead in walks over much.
    private static let readAhead = 1 << 20

    init(
        _ transaction: RocksDBTransaction,
        _ handles: RocksDBHandles,
        _ table: Table,
        _ snapshot: OpaquePointer?,
        _ batch: OpaquePointer?,
        _ use: CursorUse
    ) {
        self.transaction = transaction
        self.table = table
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
        let base = unsafe rocks_create_iterator_cf(handles.db, readOptions, handles.family(table))
        // It takes the iterator of the database over.
        unsafe iterator =
            batch.map { unsafe rocks_writebatch_wi_create_iterator_with_base_cf($0, base, handles.family(table)) }
            ?? base
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

    // MARK: Moving

    func seek(_ place: CursorPlace) throws(StorageError) -> Bool {
        let iterator = unsafe try live()
        switch place {
        case .first: unsafe rocks_iter_seek_to_first(iterator)
        case .last: unsafe rocks_iter_seek_to_last(iterator)
        case .atOrAfter(let key): unsafe rocks_iter_seek(iterator, key.characters, key.count)
        case .before(let key):
            unsafe rocks_iter_seek_for_prev(iterator, key.characters, key.count)
            if unsafe rocks_iter_valid(iterator) != 0, unsafe bytes(rocks_iter_key, iterator).equals(key) {
                unsafe rocks_iter_prev(iterator)
            }
        }
        return unsafe try stand(iterator)
    }

    func next() throws(StorageError) -> Bool {
        let iterator = unsafe try live()
        switch place {
        case .nowhere: return false
        case .entry: unsafe rocks_iter_next(iterator)
        case .left, .removed:
            let key = unsafe left.bytes
            unsafe rocks_iter_seek(iterator, key.characters, key.count)
            if unsafe rocks_iter_valid(iterator) != 0, unsafe bytes(rocks_iter_key, iterator).equals(key) {
                unsafe rocks_iter_next(iterator)
            }
        }
        return unsafe try stand(iterator)
    }

    func previous() throws(StorageError) -> Bool {
        let iterator = unsafe try live()
        switch place {
        case .nowhere: return false
        case .entry:
            unsafe rocks_iter_prev(iterator)
            return unsafe try stand(iterator)
        case .left, .removed: return unsafe try seek(.before(left.bytes))
        }
    }

    /// Notes where the iterator stands.
    @unsafe
    @inline(__always)
    private func stand(_ iterator: OpaquePointer) throws(StorageError) -> Bool {
        if unsafe rocks_iter_valid(iterator) != 0 {
            place = .entry
            return true
        }
        place = .nowhere
        var failure: UnsafeMutablePointer<CChar>?
        unsafe rocks_iter_get_error(iterator, &failure)
        if let failure = unsafe failure {
            throw unsafe transaction.fail(failure, "Reading the table '\(table.name)'")
        }
        return false
    }

    /// Called before the table is written.
    func leave() {
        guard place == .entry, let iterator = unsafe iterator else { return }
        left.removeAll()
        unsafe left.append(bytes(rocks_iter_key, iterator))
        place = .left
    }

    private func live() throws(StorageError) -> OpaquePointer {
        _ = try transaction.live()
        guard let iterator = unsafe iterator else {
            throw StorageError(.notOpen, "The cursor is closed. Open a new one.")
        }
        return unsafe iterator
    }

    // MARK: The entry

    var key: UnsafeRawBufferPointer { unsafe bytes(rocks_iter_key) }
    var value: UnsafeRawBufferPointer { unsafe bytes(rocks_iter_value) }

    @inline(__always)
    private func bytes(
        _ part: (OpaquePointer, UnsafeMutablePointer<Int>) -> UnsafePointer<CChar>?
    ) -> UnsafeRawBufferPointer {
        guard place == .entry, let iterator = unsafe iterator else {
            return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return unsafe bytes(part, iterator)
    }

    @inline(__always)
    private func bytes(
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
        guard place == .entry else {
            throw StorageError(.storage, "The cursor stands on no entry that it could remove.")
        }
        leave()
        _ = try unsafe transaction.remove(left.bytes, in: table, mode: .known)
        place = .removed
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
