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
    private let transaction: RocksDBTransaction
    let table: Table
    /// Nil once the cursor is closed.
    private var iterator: OpaquePointer?
    private var place = Place.nowhere
    /// What was written, in the write transaction.
    private let batch: RocksDBBatch?
    /// Whether the last step went to higher keys.
    private var goesUp = true
    /// The change on which the cursor stands, or the next in its direction; nil before the first.
    private var change: RocksDBChanges.Place?
    /// The version of the table's changes for which `change` is right.
    private var version = -1
    /// Of this cursor alone.
    private let readOptions: OpaquePointer
    /// What the options refer to.
    private let bounds: UnsafeMutableRawBufferPointer

    /// Neighbours in the transaction's list of open cursors.
    unowned(unsafe) private(set) var following: RocksDBCursor?
    private unowned(unsafe) var preceding: RocksDBCursor?

    private enum Place {
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

    // MARK: Moving

    func seek(_ place: CursorPlace) throws(StorageError) -> Bool {
        let iterator = unsafe try live()
        switch place {
        case .first: unsafe rocks_iter_seek_to_first(iterator)
        case .last: unsafe rocks_iter_seek_to_last(iterator)
        case .atOrAfter(let key): unsafe rocks_iter_seek(iterator, key.characters, key.count)
        case .before(let key): unsafe seek(iterator, before: key)
        }
        guard let (batch, changes) = changes else { return unsafe try stand(iterator) }
        version = changes.version
        switch place {
        case .first:
            (change, goesUp) = (changes.firstPlace, true)
        case .last: (change, goesUp) = (changes.place(before: changes.endPlace), false)
        case .atOrAfter(let key):
            (change, goesUp) = unsafe (changes.place(atOrAfter: RocksDBKey(key), in: batch.start), true)
        case .before(let key):
            change = unsafe changes.place(before: changes.place(atOrAfter: RocksDBKey(key), in: batch.start))
            goesUp = false
        }
        return unsafe goesUp ? try standAbove(iterator, batch, changes) : try standBelow(iterator, batch, changes)
    }

    func next() throws(StorageError) -> Bool {
        let iterator = unsafe try live()
        guard let (batch, changes) = changes else {
            guard case .stored = place else { return false }
            unsafe rocks_iter_next(iterator)
            return unsafe try stand(iterator)
        }
        guard let current = unsafe currentKey(iterator, batch) else { return false }
        if !goesUp || version != changes.version {
            let found = unsafe changes.place(atOrAfter: RocksDBKey(current), in: batch.start)
            let isThere = changes[found].map { unsafe batch.key(of: $0).equals(current) } ?? false
            change = isThere ? changes.place(after: found) : found
            version = changes.version
        } else if case .changed = place, let here = change {
            change = changes.place(after: here)
        }
        switch place {
        case .nowhere: return false
        case .stored: unsafe rocks_iter_next(iterator)
        case .changed:
            if !goesUp { unsafe rocks_iter_seek(iterator, current.characters, current.count) }
            if unsafe isOn(current, iterator) { unsafe rocks_iter_next(iterator) }
        }
        goesUp = true
        return unsafe try standAbove(iterator, batch, changes)
    }

    func previous() throws(StorageError) -> Bool {
        let iterator = unsafe try live()
        guard let (batch, changes) = changes else {
            guard case .stored = place else { return false }
            unsafe rocks_iter_prev(iterator)
            return unsafe try stand(iterator)
        }
        guard let current = unsafe currentKey(iterator, batch) else { return false }
        if goesUp || version != changes.version {
            change = unsafe changes.place(before: changes.place(atOrAfter: RocksDBKey(current), in: batch.start))
            version = changes.version
        } else if case .changed = place, let here = change {
            change = changes.place(before: here)
        }
        switch place {
        case .nowhere: return false
        case .stored: unsafe rocks_iter_prev(iterator)
        case .changed:
            if goesUp {
                unsafe seek(iterator, before: current)
            } else if unsafe isOn(current, iterator) {
                unsafe rocks_iter_prev(iterator)
            }
        }
        goesUp = false
        return unsafe try standBelow(iterator, batch, changes)
    }

    /// The batch and its changes of the table; nil where there are none and the iterator alone tells.
    @inline(__always)
    private var changes: (RocksDBBatch, RocksDBChanges)? {
        guard let batch else { return nil }
        let changes = batch[table]
        return changes.isEmpty ? nil : (batch, changes)
    }

    @inline(__always)
    private func currentKey(_ iterator: OpaquePointer, _ batch: RocksDBBatch) -> UnsafeRawBufferPointer? {
        switch place {
        case .nowhere: nil
        case .stored: unsafe bytes(rocks_iter_key, iterator)
        case .changed(let change): unsafe batch.key(of: change)
        }
    }

    @inline(__always)
    private func isOn(_ key: UnsafeRawBufferPointer, _ iterator: OpaquePointer) -> Bool {
        unsafe rocks_iter_valid(iterator) != 0 && bytes(rocks_iter_key, iterator).equals(key)
    }

    @inline(__always)
    private func seek(_ iterator: OpaquePointer, before key: UnsafeRawBufferPointer) {
        unsafe rocks_iter_seek_for_prev(iterator, key.characters, key.count)
        if unsafe isOn(key, iterator) { unsafe rocks_iter_prev(iterator) }
    }

    /// Notes where the iterator stands.
    @unsafe
    @inline(__always)
    private func stand(_ iterator: OpaquePointer) throws(StorageError) -> Bool {
        if unsafe rocks_iter_valid(iterator) != 0 {
            place = .stored
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

    /// Stands on the lower one of the iterator's key and the change's, and goes on from what was removed.
    @unsafe
    private func standAbove(
        _ iterator: OpaquePointer,
        _ batch: RocksDBBatch,
        _ changes: RocksDBChanges
    ) throws(StorageError) -> Bool {
        while true {
            let isStored = unsafe try stand(iterator)
            guard let here = change, let next = changes[here] else { return isStored }
            let order =
                unsafe isStored
                ? compareBytes(batch.key(of: next).bytes, bytes(rocks_iter_key, iterator).bytes) : -1
            if order > 0 { return true }
            place = .changed(next)
            if !next.isRemoval { return true }
            change = changes.place(after: here)
            if order == 0 { unsafe rocks_iter_next(iterator) }
        }
    }

    /// Stands on the higher one of the iterator's key and the change's, and goes on from what was removed.
    @unsafe
    private func standBelow(
        _ iterator: OpaquePointer,
        _ batch: RocksDBBatch,
        _ changes: RocksDBChanges
    ) throws(StorageError) -> Bool {
        while true {
            let isStored = unsafe try stand(iterator)
            guard let here = change, let next = changes[here] else { return isStored }
            let order =
                unsafe isStored
                ? compareBytes(batch.key(of: next).bytes, bytes(rocks_iter_key, iterator).bytes) : 1
            if order < 0 { return true }
            place = .changed(next)
            if !next.isRemoval { return true }
            change = changes.place(before: here)
            if order == 0 { unsafe rocks_iter_prev(iterator) }
        }
    }

    private func live() throws(StorageError) -> OpaquePointer {
        _ = try transaction.live()
        guard let iterator = unsafe iterator else {
            throw StorageError(.notOpen, "The cursor is closed. Open a new one.")
        }
        return unsafe iterator
    }

    // MARK: The entry

    var key: UnsafeRawBufferPointer {
        if let iterator = unsafe iterator {
            switch place {
            case .stored: return unsafe bytes(rocks_iter_key, iterator)
            case .changed(let change):
                if let batch, !change.isRemoval { return unsafe batch.key(of: change) }
            case .nowhere: break
            }
        }
        return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }

    var value: UnsafeRawBufferPointer {
        if let iterator = unsafe iterator {
            switch place {
            case .stored: return unsafe bytes(rocks_iter_value, iterator)
            case .changed(let change):
                if let batch, !change.isRemoval { return unsafe batch.value(of: change) }
            case .nowhere: break
            }
        }
        return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
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
