internal import StorageProtocol

extension SQLiteWriteTransaction {
    func putIndexEntries(_ name: String, _ entries: IndexEntries) throws(StorageError) {
        try checkWrite()
        let number = try existingIndex(name).entries
        try entries.requireStorable()
        try entries.forEach { (key, value) throws(StorageError) in
            try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
                try unsafe value.withUnsafeBytes { (value) throws(StorageError) in
                    try put(.putIndexEntry, changing: .changeIndexEntry, adding: .addIndexEntry) { statement in
                        statement.bind(number, 1)
                        unsafe statement.bindBlob(key, 2)
                        unsafe statement.bindBlob(value, 3)
                    }
                }
            }
            didWrite()
        }
    }

    func removeIndexEntries(_ name: String, in range: ByteRange) throws(StorageError) {
        try checkWrite()
        try remove(.remove, range, of: existingIndex(name).entries)
    }

    func removeIndexEntries(
        _ name: String,
        in range: ByteRange,
        for limit: Duration
    ) throws(StorageError) -> Bool {
        try checkWrite()
        let number = try existingIndex(name).entries
        let end = ContinuousClock.now + limit
        while true {
            try remove(.removeSome, range, of: number)
            if connection.changes < Query.rowsRemovedAtOnce { return false }
            if ContinuousClock.now >= end { return true }
        }
    }

    private func remove(
        _ what: Query.OfEntries,
        _ range: ByteRange,
        of number: Int64
    ) throws(StorageError) {
        try unsafe range.withBounds { (lower, upper) throws(StorageError) in
            try run(.entries(RangeForm(range), what)) { unsafe $0.bind(entries: number, lower, upper) }
        }
        didWrite()
    }

    /// Gives the index another number for its entries; those under the old one become garbage.
    func removeAllIndexEntries(_ name: String) throws(StorageError) {
        try checkWrite()
        let index = try existingIndex(name)
        try run(Query(.removeSomeEntries)) { $0.bind(index.entries, 1) }
        didWrite()
        // Only a few were removed, so no others are left.
        if connection.changes < Query.rowsRemovedAtOnce { return }
        let fresh = try takeEntriesNumber()
        try run(Query(.addRemovedEntries)) { $0.bind(index.entries, 1) }
        try run(Query(.moveEntries)) { statement in
            statement.bind(fresh, 1)
            statement.bind(index.number, 2)
        }
    }

    /// Returns a number for the entries of an index under which there are none.
    func takeEntriesNumber() throws(StorageError) -> Int64 {
        let last = try row(Query(.lastEntries), { _ in }, { $0.integer(0) })
        guard last >= 0, last < .max else { throw .corrupt("The numbers for entries of indexes are used up") }
        return last + 1
    }

    func dropIndex(_ name: String) throws(StorageError) {
        try checkWrite()
        guard let number = try index(name)?.number else { return }
        connection.forgetIndex(number)
        try run(Query(.dropIndex)) { $0.bind(number, 1) }
        droppedIndexes.append(number)
        didWrite()
    }

    func reclaimDroppedIndexes(for limit: Duration) throws(StorageError) -> Bool {
        try checkWrite()
        let end = ContinuousClock.now + limit
        while let (number, entries) = try droppedIndex() {
            for part in [Query.of(number, .removeSomeRows), .of(number, .removeSomeBlocks)] {
                guard try removeAll(part, until: end) else { return true }
            }
            guard try removeAll(Query(.removeSomeEntries), of: entries, until: end) else { return true }
            connection.forgetIndex(number)
            for table in Schema.indexTables(number) { try define("DROP TABLE \(table.name)") }
            try run(Query(.removeIndex)) { $0.bind(number, 1) }
            didWrite()
        }
        while let entries = try removedEntries() {
            guard try removeAll(Query(.removeSomeEntries), of: entries, until: end) else { return true }
            try run(Query(.forgetRemovedEntries)) { $0.bind(entries, 1) }
            didWrite()
        }
        return false
    }

    /// Runs `part`, which removes a few, until it finds no more.
    ///
    /// - Parameter entries: The number of the entries, if `part` needs one.
    /// - Returns: False if the time was over before.
    private func removeAll(
        _ part: Query,
        of entries: Int64? = nil,
        until end: ContinuousClock.Instant
    ) throws(StorageError) -> Bool {
        while true {
            try run(part) { statement in if let entries { statement.bind(entries, 1) } }
            // If nothing is left of this part, the next one must be begun, however late it is.
            if connection.changes == 0 { return true }
            didWrite()
            if ContinuousClock.now >= end { return false }
        }
    }
}
