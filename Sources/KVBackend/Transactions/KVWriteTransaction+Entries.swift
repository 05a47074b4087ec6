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
            _ = try removeLong(range.keys(of: try existingIndex(name).entries), in: .entries)
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
            return try !removeLong(keys, in: .entries, until: end)
        }
    }

    /// Gives the index another number for its entries; those under the old one become garbage.
    func removeAllIndexEntries(_ name: String) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            var index = try existingIndex(name)
            // A few are removed at once.
            if try removeLong(.all(of: index.entries), in: .entries, until: .now) { return }
            try noteDropped(index.entries)
            index.entries = try takeIndexNumber()
            try put(index, name)
        }
    }

    func dropIndex(_ name: String) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            guard let index = try storedIndex(name) else { return }
            // Few rows are removed at once, and all if the store needs no time for each.
            for number in [index.number, index.entries] where try !removeAll(of: number, until: .now) {
                try noteDropped(number)
            }
            try unsafe name.withRawBytes { (name) throws(StorageError) in
                _ = try unsafe removeLong(name, in: .indexes, mode: .known)
            }
        }
    }

    /// Removes what is stored under a number.
    ///
    /// - Parameter end: When to stop, after a few entries.
    /// - Returns: Whether all has been removed.
    private func removeAll(of number: UInt32, until end: ContinuousClock.Instant) throws(StorageError) -> Bool {
        for table in [Table.rows, .emitted, .entries] {
            guard try removeLong(.all(of: number), in: table, until: end) else { return false }
        }
        return true
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
                guard try removeAll(of: index, until: end) else { return true }
                _ = try unsafe FixedKey(UInt64(index)).withBytes { (key) throws(StorageError) in
                    try unsafe remove(key, in: .dropped, mode: .known)
                }
            }
            return false
        }
    }
}
