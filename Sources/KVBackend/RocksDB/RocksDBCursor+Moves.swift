#if RocksDB
internal import CSetteeRocksDB
internal import StorageProtocol

extension RocksDBCursor {
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
        return unsafe try stand(iterator, batch, changes)
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
        return unsafe try stand(iterator, batch, changes)
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
        return unsafe try stand(iterator, batch, changes)
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

    /// Moves the iterator over a range that was removed.
    @inline(never)
    private func leave(_ range: RocksDBRange, _ iterator: OpaquePointer, _ batch: RocksDBBatch) {
        if goesUp {
            let upper = unsafe range.upper(in: batch.start).bytes
            unsafe rocks_iter_seek(iterator, upper.characters, upper.count)
        } else {
            unsafe seek(iterator, before: range.lower(in: batch.start).bytes)
        }
    }

    /// Stands on the iterator's key or on the change's, whichever comes first in the direction, and goes on from what
    /// was removed.
    @unsafe
    private func stand(
        _ iterator: OpaquePointer,
        _ batch: RocksDBBatch,
        _ changes: RocksDBChanges
    ) throws(StorageError) -> Bool {
        while true {
            let isStored = unsafe try stand(iterator)
            if isStored, let range = unsafe changes.ranges.range(of: bytes(rocks_iter_key, iterator), in: batch.start) {
                unsafe leave(range, iterator, batch)
                continue
            }
            guard let here = change, let next = changes[here] else { return isStored }
            var isSame = false
            if isStored {
                let order = unsafe compareBytes(batch.key(of: next).bytes, bytes(rocks_iter_key, iterator).bytes)
                if goesUp ? order > 0 : order < 0 { return true }
                isSame = order == 0
            }
            place = .changed(next)
            if !next.isRemoval { return true }
            change = goesUp ? changes.place(after: here) : changes.place(before: here)
            if isSame { unsafe goesUp ? rocks_iter_next(iterator) : rocks_iter_prev(iterator) }
        }
    }
}
#endif
