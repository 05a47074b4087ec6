extension IndexWriter {
    /// Replaces the rows of one document, for tests and small uses.
    ///
    /// - Returns: Whether any row differs from before.
    @discardableResult
    package func replaceIndexRows(
        _ name: String,
        of id: DocumentID,
        sequence: UInt64,
        rows: [IndexRow]
    ) throws(StorageError) -> Bool {
        var batch = IndexBatch()
        batch.begin(id, sequence: sequence)
        for row in rows { batch.add(row) }
        var changes = RowChanges(recordsPositions: false)
        try replaceIndexRows(name, by: [batch], areNew: false, changes: &changes)
        return changes.documents > 0
    }
}
