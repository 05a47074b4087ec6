internal import StorageEngineKit
internal import StorageProtocol

/// A replacement of rows of an index.
///
/// New rows are deferred and written at the end in their order, many in a statement: neighbours share pages.
struct SQLiteRowReplacement: ~Copyable, RowReplacing {
    let statements: SQLiteIndexStatements
    private var documents: DocumentBlockEditor
    /// The increase in the number of rows of the index.
    private(set) var rowsGained = 0

    init(_ transaction: SQLiteWriteTransaction, _ index: Int64, keepsSequences: Bool) {
        statements = SQLiteIndexStatements(transaction, index)
        documents = DocumentBlockEditor(
            SQLiteDocumentBlocks(statements: statements),
            keepsSequences: keepsSequences
        )
    }

    // MARK: Documents without rows so far

    /// Adds all rows of all documents.
    mutating func add(_ batches: borrowing PinnedBatches, _ changes: inout RowChanges) throws(StorageError) {
        rowsGained += batches.rowCount
        let rows = batches.rowsInOrder()
        try insertRows(rows, 0..<rows.count, of: batches)
        let documents = batches.documentsWithRowsInOrder()
        changes.documents += documents.count
        if changes.recordsPositions {
            for place in 0..<rows.count { changes.record(batches.row(rows[place])) }
        }
        try addDocuments(documents, 0..<documents.count, of: batches)
    }

    /// Adds documents in the order of their IDs, without their rows.
    mutating func addDocuments(
        _ order: borrowing BatchOrder,
        _ range: Range<Int>,
        of batches: borrowing PinnedBatches
    ) throws(StorageError) {
        try documents.add(order, range, of: batches)
    }

    // MARK: Any documents

    /// Replaces the rows of all documents, and writes only what differs.
    mutating func replace(_ batches: borrowing PinnedBatches, _ changes: inout RowChanges) throws(StorageError) {
        let order = batches.documentsInOrder()
        var newRows = BatchOrder(.rows, capacity: batches.rowCount)
        for place in 0..<order.count {
            let document = batches.document(order[place])
            let isThere = try unsafe documents.move(to: document.id)
            let (isChanged, hasOtherKeys) = try compare(document, batches, &newRows, &changes)
            if isChanged { changes.documents += 1 }
            rowsGained += document.rowCount - documents.keyCount
            if document.rowCount == 0 {
                if isThere { documents.remove() }
            } else if hasOtherKeys || !documents.hasSequence(of: document) {
                try documents.put(document, of: batches)
            }
        }
        newRows.sort(batches)
        try insertRows(newRows, 0..<newRows.count, of: batches)
        try documents.finish()
    }

    /// Compares a document's rows with its old ones: removes rows, changes some in place, and defers new ones.

    var storedRowCount: Int { documents.keyCount }

    func hasStoredKey(of row: PinnedRow, _ emit: Int) -> Bool { unsafe documents.key(emit).equals(row.key) }

    mutating func remove(
        _ emit: Int,
        of document: PinnedDocument,
        _ changes: inout RowChanges
    ) throws(StorageError) {
        let statement = try statements.hold(.removeRow)
        let key = unsafe documents.key(emit)
        try statements.run(statement) { unsafe $0.bind(key, document.id, emit) }
        guard statements.transaction.connection.changes == 1 else { throw .missingRow }
        unsafe changes.record(key: key.bytes, id: document.id.bytes, emit: UInt32(truncatingIfNeeded: emit))
    }

    mutating func change(_ row: PinnedRow) throws(StorageError) {
        try statements.run(try statements.hold(.changeRow)) { $0.bind(row) }
    }

    mutating func hasStoredText(of row: PinnedRow) throws(StorageError) -> Bool {
        let statement = try statements.hold(.sameRow)
        unsafe statement.bind(row.key, row.id, Int(row.emit))
        return try statements.read(statement) { (stored) throws(StorageError) in
            if stored.isNull(0) { throw .missingRow }
            guard try unsafe stored.bytes(0, type: .text).equals(row.keyJSON) else { return false }
            guard let value = unsafe row.valueJSON else { return stored.isNull(1) }
            if stored.isNull(1) { return false }
            return try unsafe stored.bytes(1, type: .text).equals(value)
        }
    }

}

extension UnsafeRawBufferPointer {
    fileprivate func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        unsafe count == other.count && compareBytes(bytes, other.bytes) == 0
    }
}

extension StorageError {
    static var missingRow: StorageError {
        .corrupt("An index row is missing that its document's record names")
    }
}
