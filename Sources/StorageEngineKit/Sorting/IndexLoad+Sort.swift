public import StorageProtocol

extension IndexLoad {
    /// - Parameters:
    ///   - batches: Each document occurs only once in all of them.
    ///   - hasRows: Whether rows will be written from this load.
    ///   - hasDocuments: Whether documents will be written from it.
    /// - Complexity: O(1) per row for short keys.
    public convenience init(_ batches: [IndexBatch], hasRows: Bool = true, hasDocuments: Bool = true) {
        var batches = batches
        self.init(taking: &batches, hasRows: hasRows, hasDocuments: hasDocuments)
    }

    /// Does the same and empties the batches, each once it is copied: if nothing else holds them, their memory is free
    /// then.
    public convenience init(taking batches: inout [IndexBatch], hasRows: Bool = true, hasDocuments: Bool = true) {
        let copies = PinnedBatches(taking: &batches)
        let rows = hasRows ? copies.rowsInOrder() : BatchOrder(.rows, capacity: 0)
        let documents = hasDocuments ? copies.documentsWithRowsInOrder() : BatchOrder(.documents, capacity: 0)
        self.init(batches: copies, rows: rows, documents: documents)
    }

    /// Returns some rows as a load of their own, in which they are stored one after another. Looking them up costs
    /// about as much as writing them, and this can be done on another thread.
    public func part(rows range: Range<Int>) -> IndexLoad {
        var part = IndexBatch()
        var window = RowWindow()
        var place = range.lowerBound
        while place < range.upperBound {
            window.load(rows, place..<range.upperBound, batches)
            for number in 0..<window.count {
                let row = window[number]
                unsafe part.begin(row.id.bytes, onlyRow: row.emit)
                unsafe part.add(key: row.key.bytes, keyJSON: row.keyJSON.bytes, valueJSON: row.valueJSON?.bytes)
            }
            place += window.count
        }
        return IndexLoad(sorted: part)
    }
}
