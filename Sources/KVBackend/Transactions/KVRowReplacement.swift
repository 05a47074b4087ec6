internal import StorageEngineKit
internal import StorageProtocol

/// A replacement of rows of an index.
///
/// Documents are processed in the order of their IDs. New rows are deferred and written in their own order, because
/// neighbours are on the same pages.
struct KVRowReplacement<Store: OrderedStore>: ~Copyable, RowReplacing {
    private let transaction: KVWriteTransaction<Store>
    private let index: UInt32
    private let rows: Store.Transaction.Cursor
    private var documents: DocumentBlockEditor
    /// The key in `rows`, in reusable memory.
    private var place = KeyBuffer()
    /// The increase in the number of rows of the index.
    private(set) var rowsGained = 0

    /// - Parameter rows: A cursor in the table `rows`. It is closed at the end.
    init(
        _ transaction: KVWriteTransaction<Store>,
        _ index: StoredIndex,
        rows: Store.Transaction.Cursor,
        blocks: KVDocumentBlocks<Store>
    ) {
        self.transaction = transaction
        self.index = index.number
        documents = DocumentBlockEditor(blocks, keepsSequences: index.state.keepsSequences)
        self.rows = rows
    }

    deinit { rows.close() }

    /// Adds the rows of documents that have none.
    mutating func add(_ batches: borrowing PinnedBatches, _ changes: inout RowChanges) throws(StorageError) {
        let documents = batches.documentsWithRowsInOrder()
        let rows = batches.rowsInOrder()
        try self.documents.add(documents, 0..<documents.count, of: batches)
        try insert(rows, 0..<rows.count, batches)
        changes.documents += documents.count
        rowsGained += rows.count
        guard changes.recordsPositions else { return }
        for place in 0..<rows.count { changes.record(batches.row(rows[place])) }
    }

    /// Adds some rows and some lists of documents that have none.
    mutating func add(_ load: IndexLoad, rows: Range<Int>, documents: Range<Int>) throws(StorageError) {
        try self.documents.add(load.documents, documents, of: load.batches)
        try insert(load.rows, rows, load.batches)
        rowsGained += rows.count
    }

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
        try documents.finish()
        newRows.sort(batches)
        try insert(newRows, 0..<newRows.count, batches)
    }

    /// Compares a document's rows with its old ones: removes rows, changes some in place, and defers new ones.

    var storedRowCount: Int { documents.keyCount }

    func hasStoredKey(of row: PinnedRow, _ emit: Int) -> Bool { unsafe documents.key(emit).equals(row.key) }

    mutating func hasStoredText(of row: PinnedRow) throws(StorageError) -> Bool {
        setPlace(row)
        return try unsafe LongKeyTable(.rows, in: transaction.base).withValue(of: place.bytes) {
            (value) throws(StorageError) in
            guard let value = unsafe value else { throw .damagedBlock }
            return try unsafe RowValue(value).isSame(as: row)
        }
    }

    mutating func change(_ row: PinnedRow) throws(StorageError) {
        setPlace(row)
        _ = try unsafe transaction.putLong(place.bytes, in: .rows, length: RowValue.length(row)) {
            unsafe RowValue.write(row, to: $0)
        }
    }

    mutating func remove(
        _ emit: Int,
        of document: PinnedDocument,
        _ changes: inout RowChanges
    ) throws(StorageError) {
        guard let number = UInt32(exactly: emit) else { throw .damagedBlock }
        let key = unsafe documents.key(emit)
        unsafe RowKey.write(index: index, key: key, id: document.id, emit: number, to: &place)
        unsafe changes.record(key: key.bytes, id: document.id.bytes, emit: number)
        guard try unsafe transaction.removeLong(place.bytes, in: .rows, mode: .known) else { throw .damagedBlock }
    }

    /// Writes new rows, which are in order.
    private mutating func insert(
        _ order: borrowing BatchOrder,
        _ range: Range<Int>,
        _ batches: borrowing PinnedBatches
    ) throws(StorageError) {
        if range.isEmpty { return }
        var end = try AppendPosition(rows, Store.Transaction.keyLayout)
        var window = RowWindow()
        var number = range.lowerBound
        while number < range.upperBound {
            window.load(order, number..<range.upperBound, batches)
            for row in 0..<window.count { try insert(window[row], &end) }
            number += window.count
        }
    }

    private mutating func insert(_ row: PinnedRow, _ end: inout AppendPosition) throws(StorageError) {
        setPlace(row)
        let mode: PutMode = unsafe end.isAbove(place.bytes) ? .append : .new
        let isNew = try unsafe transaction.putLong(place.bytes, by: rows, in: .rows, RowValue.length(row), mode) {
            unsafe RowValue.write(row, to: $0)
        }
        guard isNew else { throw .damagedBlock }
    }

    private mutating func setPlace(_ row: PinnedRow) {
        unsafe RowKey.write(index: index, key: row.key, id: row.id, emit: row.emit, to: &place)
    }
}
