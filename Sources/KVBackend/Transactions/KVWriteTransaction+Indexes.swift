internal import StorageProtocol

extension KVWriteTransaction {
    func setIndexState(_ name: String, _ state: IndexState) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            var state = state
            if let old = try storedIndex(name) {
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
            var index = try existingIndex(name)
            let gained = try batches.pinned { (batches) throws(StorageError) in
                try checkLengths(batches)
                let rows = try base.cursor(.rows)
                let emitted = try base.cursor(.emitted)
                var replacement = KVRowReplacement(self, index.number, rows: rows, emitted: emitted)
                if areNew {
                    try replacement.add(batches, &changes)
                } else {
                    try replacement.replace(batches, &changes)
                }
                return replacement.rowsGained
            }
            if gained == 0 { return }
            let (count, isImpossible) = index.state.rowCount.addingReportingOverflow(UInt64(bitPattern: Int64(gained)))
            guard isImpossible == (gained < 0) else { throw .damagedIndex }
            index.state.rowCount = count
            try put(index, name)
        }
    }

    /// Sees to it that all rows can be stored.
    ///
    /// - Throws: `tooLarge` (413).
    private func checkLengths(_ batches: borrowing PinnedBatches) throws(StorageError) {
        try batches.forEachDocument { (_, document) throws(StorageError) in
            for emit in 0..<document.rowCount {
                try unsafe RowPlace.checkLength(key: batches.key(document.row(emit)), id: document.id)
            }
            try EmittedValue.checkLength(EmittedValue.length(document, of: batches))
        }
    }

    func putIndexSummary(_ name: String, key: [UInt8], value: [UInt8]) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            let key = RowPlace.number(try existingIndex(name).number) + key
            try unsafe key.withRawBytes { (key) throws(StorageError) in
                _ = try unsafe putLong(key, in: .summaries, length: value.count) { unsafe $0.copyBytes(from: value) }
            }
        }
    }

    func removeIndexSummaries(_ name: String, in range: ByteRange) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            try removeAll(.summaries, in: range.keys(of: try existingIndex(name).number))
        }
    }

    func dropIndex(_ name: String) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            guard let index = try storedIndex(name) else { return }
            for table in [Table.rows, .emitted, .summaries] { try removeAll(table, in: .all(of: index.number)) }
            try unsafe name.withRawBytes { (name) throws(StorageError) in
                _ = try unsafe removeLong(name, in: .indexes)
            }
        }
    }

    private func put(_ index: StoredIndex, _ name: String) throws(StorageError) {
        try unsafe name.withRawBytes { (name) throws(StorageError) in
            _ = try unsafe putLong(name, in: .indexes, length: index.length) { unsafe index.write(to: $0) }
        }
    }

    /// Removes the entries of a table with long keys whose keys are in `range`.
    private func removeAll(_ table: Table, in range: ByteRange) throws(StorageError) {
        let cursor = try LongKeyTable(table, in: base).cursor()
        defer { cursor.close() }
        var isThere = try cursor.seek(first: range.lower)
        try unsafe range.upper.withBytes { (bound, isIncluded) throws(StorageError) in
            while isThere {
                if let bound = unsafe bound {
                    let order = unsafe compareBytes(cursor.key.bytes, bound.bytes)
                    if order > 0 || order == 0 && !isIncluded { return }
                }
                try removeEntry(at: cursor)
                isThere = try cursor.next()
            }
        }
    }
}
