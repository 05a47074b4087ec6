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
}
