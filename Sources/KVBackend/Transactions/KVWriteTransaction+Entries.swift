internal import StorageProtocol

extension KVWriteTransaction {
    func putIndexEntries(_ name: String, _ entries: IndexEntries) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            let number = try existingIndex(name).entries
            try entries.requireStorable()
            var place = KeyBuffer()
            defer { place.removeAll() }
            try entries.forEach { (key, value) throws(StorageError) in
                place.removeAll()
                place.append(bigEndian: number)
                unsafe key.withUnsafeBytes { unsafe place.append($0) }
                _ = try unsafe putLong(place.bytes, in: .entries, length: value.byteCount) { target in
                    unsafe value.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
                }
            }
        }
    }

    func removeIndexEntries(_ name: String, in range: ByteRange) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            _ = try removeAll(.entries, in: range.keys(of: try existingIndex(name).entries))
        }
    }

    func removeIndexEntries(
        _ name: String,
        in range: ByteRange,
        for limit: Duration
    ) throws(StorageError) -> Bool {
        try checkWrite()
        let end = ContinuousClock.now + limit
        return try noting { () throws(StorageError) in
            let keys = range.keys(of: try existingIndex(name).entries)
            return try !removeAll(.entries, in: keys, until: end)
        }
    }

    /// Gives the index another number for its entries; those under the old one become garbage.
    func removeAllIndexEntries(_ name: String) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            var index = try existingIndex(name)
            // A few are removed at once.
            if try removeAll(.entries, in: .all(of: index.entries), until: .now) { return }
            try noteDropped(index.entries)
            index.entries = try takeIndexNumber()
            try put(index, name)
        }
    }

    func dropIndex(_ name: String) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            guard let index = try storedIndex(name) else { return }
            try noteDropped(index.number)
            try noteDropped(index.entries)
            try unsafe name.withRawBytes { (name) throws(StorageError) in
                _ = try unsafe removeLong(name, in: .indexes, mode: .known)
            }
        }
    }

    /// Records that what is stored under a number is garbage.
    private func noteDropped(_ number: UInt32) throws(StorageError) {
        try unsafe FixedKey(UInt64(number)).withBytes { (key) throws(StorageError) in
            _ = try unsafe put(key, in: .dropped, length: 0) { _ in }
        }
    }

    func reclaimDroppedIndexes(for limit: Duration) throws(StorageError) -> Bool {
        try checkWrite()
        let end = ContinuousClock.now + limit
        return try noting { () throws(StorageError) in
            while let index = try droppedIndex() {
                for table in [Table.rows, .emitted, .entries] {
                    guard try removeAll(table, in: .all(of: index), until: end) else { return true }
                }
                _ = try unsafe FixedKey(UInt64(index)).withBytes { (key) throws(StorageError) in
                    try unsafe remove(key, in: .dropped, mode: .known)
                }
            }
            return false
        }
    }

    /// How many entries are removed between two checks of the time: a few, because each may have 1 MiB.
    private static var entriesBetweenLooks: Int { 16 }

    /// Removes the entries of a table with long keys whose keys are in `range`.
    ///
    /// - Parameter end: When to stop, after a few; nil: never.
    /// - Returns: Whether all have been removed.
    private func removeAll(
        _ table: Table,
        in range: ByteRange,
        until end: ContinuousClock.Instant? = nil
    ) throws(StorageError) -> Bool {
        let cursor = try LongKeyTable(table, in: base).cursor()
        defer { cursor.close() }
        var isThere = try cursor.seek(first: range.lower)
        var order = KeyOrder()
        var removed = 0
        return try unsafe range.upper.withBytes { (bound, isIncluded) throws(StorageError) in
            while isThere {
                // Otherwise entries of other indexes would be removed.
                try unsafe order.pass(cursor.key)
                if let bound = unsafe bound {
                    let order = unsafe compareBytes(cursor.key.bytes, bound.bytes)
                    if order > 0 || order == 0 && !isIncluded { return true }
                }
                if let end, removed > 0, removed % KVWriteTransaction.entriesBetweenLooks == 0,
                    ContinuousClock.now >= end
                {
                    return false
                }
                try removeEntry(at: cursor)
                removed += 1
                isThere = try cursor.next()
            }
            return true
        }
    }
}
