internal import StorageProtocol

extension WriteTransaction {
    /// Fills the index `target` with the content of the index `name` of `source`: rows and documents in their order, a
    /// few at a time.
    func fill(
        _ target: String,
        from source: any ReadTransaction,
        _ name: String,
        atATime: Int
    ) throws(StorageError) {
        guard let state = try source.indexState(name) else { return }
        var filling = state
        filling.lastSequence = 0
        filling.lastChangedSequence = 1
        try setIndexState(target, filling)
        var place: IndexRange.Bound = .open
        while true {
            var rows = IndexBatch()
            try source.indexRows(name, in: IndexRange(lower: place), descending: false) { (row) throws(StorageError) in
                rows.add(row)
                let position = IndexPosition(
                    key: row.withKey { Array(copying: $0) },
                    documentID: row.withID { Array(copying: $0) },
                    emit: row.emit
                )
                place = .excluding(position)
                return rows.rowCount < atATime
            }
            if rows.isEmpty { break }
            let load = try IndexLoad(sortedRows: rows)
            try fillIndex(target, from: load, rows: 0..<load.rowCount, documents: 0..<0)
        }
        var last: DocumentID?
        while true {
            var documents = IndexBatch()
            try source.indexDocuments(name, after: last) { (document) throws(StorageError) in
                documents.add(document)
                last = try document.documentID()
                return documents.documentCount < atATime
            }
            if documents.isEmpty { break }
            let load = try IndexLoad(sortedDocuments: documents)
            try fillIndex(target, from: load, rows: 0..<0, documents: 0..<load.documentCount)
        }
        try setIndexState(target, state)
    }

    /// Copies the entries of an index of `source` to the index `name` here, a few at a time.
    func putIndexEntries(_ name: String, from source: any ReadTransaction, atATime: Int) throws(StorageError) {
        var range = ByteRange.all
        while true {
            var entries = IndexEntries()
            try source.indexEntries(name, in: range, descending: false) { (key, value) throws(StorageError) in
                entries.append(key: key, value: value)
                range.lower = .excluding(Array(copying: key))
                return entries.count < atATime
            }
            if entries.count == 0 { return }
            try putIndexEntries(name, entries)
        }
    }
}
