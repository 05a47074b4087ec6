public import StorageProtocol

extension OrderedMapWriter {
    public func replaceIndexRows(
        _ name: String,
        by batches: [IndexBatch],
        areNew: Bool,
        changes: inout RowChanges
    ) throws(StorageError) {
        try transactionGuard.checkWrite()
        guard let state = try indexState(name) else { throw .noIndex(name) }
        try requireStorable(name, batches)
        try transactionGuard.together { () throws(StorageError) in
            var added = 0
            try writing { () throws(StorageError) in
                for batch in batches {
                    for number in 0..<batch.documentCount {
                        let id = batch.withID(of: number) { ByteCoding.copy($0) }
                        let sequence = state.keepsSequences ? batch.sequence(of: number) : 0
                        let rows = batch.rows(of: number).map(batch.row)
                        added += try replaceRows(name, of: id, sequence, by: rows, &changes)
                    }
                }
            }
            try changeRowCount(of: name, by: added)
        }
    }

    /// - Returns: The increase in the number of rows.
    private func replaceRows(
        _ name: String,
        of id: [UInt8],
        _ sequence: UInt64,
        by rows: [IndexRow],
        _ changes: inout RowChanges
    ) throws(StorageError) -> Int {
        let old = try document(MapKey.documents(of: name) + id)?.keys ?? []
        var isChanged = false
        for emit in 0..<max(old.count, rows.count) {
            let number = UInt32(emit)
            let (before, row) = (emit < old.count ? old[emit] : nil, emit < rows.count ? rows[emit] : nil)
            func set(_ new: [UInt8]?, at key: [UInt8]) throws(StorageError) {
                let place = MapKey.rows(of: name) + MapKey.place(key, id, number)
                if try value(place) == new { return }
                try setValue(new, of: place)
                isChanged = true
                unsafe changes.record(key: key.span.bytes, id: id.span.bytes, emit: number)
            }
            if let before, before != row?.key { try set(nil, at: before) }
            if let row { try set(row.packed(id, number), at: row.key) }
        }
        if isChanged { changes.documents += 1 }
        try setDocument(name, id, sequence, rows)
        return rows.count - old.count
    }

    private func setDocument(_ name: String, _ id: [UInt8], _ sequence: UInt64, _ rows: [IndexRow]) throws(StorageError)
    {
        let packed = rows.isEmpty ? nil : ByteCoding.pack([ByteCoding.bytes(sequence)] + rows.map(\.key))
        let key = MapKey.documents(of: name) + id
        if try value(key) != packed { try setValue(packed, of: key) }
    }

    public func fillIndex(
        _ name: String,
        from load: IndexLoad,
        rows: Range<Int>,
        documents: Range<Int>
    ) throws(StorageError) {
        try transactionGuard.checkWrite()
        guard let state = try indexState(name) else { throw .noIndex(name) }
        guard state.isFilling else { throw .indexIsNotFilling(name) }
        try requireStorable(name, load, rows: rows, documents: documents)
        try transactionGuard.together { () throws(StorageError) in
            try writing { () throws(StorageError) in
                try load.forEachRow(rows) { (row, id, emit) throws(StorageError) in
                    let place = MapKey.rows(of: name) + MapKey.place(row.key, id, emit)
                    guard try value(place) == nil else {
                        throw .corrupt("An index has a row already that it is filled with")
                    }
                    try setValue(row.packed(id, emit), of: place)
                }
                try load.forEachDocument(documents) { (id, sequence, rows) throws(StorageError) in
                    try setDocument(name, id, state.keepsSequences ? sequence : 0, rows)
                }
            }
            try changeRowCount(of: name, by: rows.count)
        }
    }

    /// Drops an index and leaves nothing behind to reclaim. Takes time proportional to the number of rows.
    public func dropIndex(_ name: String) throws(StorageError) {
        try removeIndexState(name)
        try writing { () throws(StorageError) in
            try removeValues(in: .beginning(with: MapKey.rows(of: name)))
            try removeValues(in: .beginning(with: MapKey.documents(of: name)))
        }
    }

    /// Returns false: there is nothing to reclaim.
    public func reclaimDroppedIndexes(for limit: Duration) throws(StorageError) -> Bool {
        try transactionGuard.checkWrite()
        return false
    }
}
