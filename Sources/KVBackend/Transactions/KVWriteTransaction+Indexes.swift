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
        of id: DocumentID,
        sequence: UInt64?,
        rows: [IndexRow]
    ) throws(StorageError) -> IndexReplacement {
        try checkWrite()
        return try noting { () throws(StorageError) in
            var index = try existingIndex(name)
            return try unsafe id.withRawBytes { (id) throws(StorageError) in
                let present = try unsafe withRecord(id) { record in record?.sequence }
                guard present == sequence else { return IndexReplacement(accepted: false, changed: false) }
                let result = try unsafe replace(index.number, id, sequence ?? 0, rows)
                if result.oldCount != rows.count {
                    guard index.state.rowCount >= UInt64(result.oldCount) else { throw .damagedIndex }
                    index.state.rowCount = index.state.rowCount - UInt64(result.oldCount) &+ UInt64(rows.count)
                    try put(index, name)
                }
                return IndexReplacement(accepted: true, changed: result.isChanged)
            }
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
