internal import StorageProtocol

extension KVWriteTransaction {
    func setIndexState(_ name: String, _ state: IndexState) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            var state = state
            if let old = try storedIndex(name) {
                try state.requireSettable(on: old.state)
                state.rowCount = old.state.rowCount
                try put(StoredIndex(number: old.number, state: state), name)
            } else {
                state.rowCount = 0
                try put(StoredIndex(number: takeIndexNumber(), state: state), name)
            }
        }
    }

    func replaceIndexRows(
        _ name: String,
        by batches: [IndexBatch],
        areNew: Bool,
        changes: inout RowChanges
    ) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            let index = try existingIndex(name)
            let gained = try batches.pinned { (batches) throws(StorageError) in
                try batches.forEachDocument { (_, document) throws(StorageError) in
                    try checkLengths(document, batches)
                }
                var replacement = try replacement(in: index)
                if areNew {
                    try replacement.add(batches, &changes)
                } else {
                    try replacement.replace(batches, &changes)
                }
                return replacement.rowsGained
            }
            try count(gained, in: index, name)
        }
    }

    func fillIndex(
        _ name: String,
        from load: IndexLoad,
        rows: Range<Int>,
        documents: Range<Int>
    ) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            let index = try existingIndex(name)
            guard index.state.isFilling else { throw .indexIsNotFilling(name) }
            for place in rows {
                let row = load.batches.row(load.rows[place])
                try unsafe RowPlace.checkLength(key: row.key, id: row.id)
            }
            for place in documents {
                try checkLengths(load.batches.document(load.documents[place]), load.batches)
            }
            var replacement = try replacement(in: index)
            try replacement.add(load, rows: rows, documents: documents)
            try count(rows.count, in: index, name)
        }
    }

    private func replacement(in index: StoredIndex) throws(StorageError) -> KVRowReplacement<Store> {
        KVRowReplacement(self, index, rows: try base.cursor(.rows), emitted: try base.cursor(.emitted))
    }

    /// Adds to the number of an index's rows.
    private func count(_ gained: Int, in index: StoredIndex, _ name: String) throws(StorageError) {
        if gained == 0 { return }
        var index = index
        let (count, isImpossible) = index.state.rowCount.addingReportingOverflow(UInt64(bitPattern: Int64(gained)))
        guard isImpossible == (gained < 0) else { throw .damagedIndex }
        index.state.rowCount = count
        try put(index, name)
    }

    /// Sees to it that a document's rows can be stored.
    ///
    /// - Throws: `tooLarge` (413).
    private func checkLengths(
        _ document: PinnedDocument,
        _ batches: borrowing PinnedBatches
    ) throws(StorageError) {
        for emit in 0..<document.rowCount {
            try unsafe RowPlace.checkLength(key: batches.key(document.row(emit)), id: document.id)
        }
        try EmittedValue.checkLength(EmittedValue.length(document, document.sequence, of: batches))
    }

    func putIndexEntries(_ name: String, _ entries: IndexEntries) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            let index = try existingIndex(name).number
            try entries.requireStorable()
            var place = KeyBuffer()
            defer { place.removeAll() }
            try entries.forEach { (key, value) throws(StorageError) in
                place.removeAll()
                place.append(bigEndian: index)
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
            _ = try removeAll(.entries, in: range.keys(of: try existingIndex(name).number))
        }
    }

    func dropIndex(_ name: String) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            guard let index = try storedIndex(name) else { return }
            try unsafe FixedKey(UInt64(index.number)).withBytes { (key) throws(StorageError) in
                _ = try unsafe put(key, in: .dropped, length: 0) { _ in }
            }
            try unsafe name.withRawBytes { (name) throws(StorageError) in
                _ = try unsafe removeLong(name, in: .indexes, mode: .known)
            }
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

    private func put(_ index: StoredIndex, _ name: String) throws(StorageError) {
        try unsafe name.withRawBytes { (name) throws(StorageError) in
            _ = try unsafe putLong(name, in: .indexes, length: index.length) { unsafe index.write(to: $0) }
        }
    }

    /// How many entries go between two looks at the clock: few, since each may have 1 MiB.
    private static var entriesBetweenLooks: Int { 16 }

    /// Removes the entries of a table with long keys whose keys are in `range`.
    ///
    /// - Parameter end: when to stop, after some; nil: never.
    /// - Returns: whether all are gone.
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
                // Entries of others would go.
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
