internal import StorageProtocol

/// A replacement of rows of an index.
///
/// Documents are processed in the order of their IDs. New rows are deferred and written in their own order, because
/// neighbours are on the same pages.
struct KVRowReplacement<Store: OrderedStore>: ~Copyable, RowReplacing {
    private let transaction: KVWriteTransaction<Store>
    private let index: UInt32
    private let keepsSequences: Bool
    private let rows: Store.Transaction.Cursor
    private let emitted: Store.Transaction.Cursor
    /// The keys in the two tables, in reusable memory.
    private var place = KeyBuffer()
    private var document = KeyBuffer()
    /// The old list of the current document.
    private var old = EmittedValue()
    /// The increase in the number of rows of the index.
    private(set) var rowsGained = 0

    /// - Parameters:
    ///   - rows: A cursor in the table `rows`, which is closed at the end.
    ///   - emitted: The same for `emitted`.
    init(
        _ transaction: KVWriteTransaction<Store>,
        _ index: StoredIndex,
        rows: Store.Transaction.Cursor,
        emitted: Store.Transaction.Cursor
    ) {
        self.transaction = transaction
        self.index = index.number
        keepsSequences = index.state.keepsSequences
        self.rows = rows
        self.emitted = emitted
    }

    deinit {
        rows.close()
        emitted.close()
    }

    /// Adds the rows of documents that have none.
    mutating func add(_ batches: borrowing PinnedBatches, _ changes: inout RowChanges) throws(StorageError) {
        let documents = batches.documentsWithRowsInOrder()
        let rows = batches.rowsInOrder()
        try addLists(documents, 0..<documents.count, batches)
        try insert(rows, 0..<rows.count, batches)
        changes.documents += documents.count
        rowsGained += rows.count
        guard changes.recordsPositions else { return }
        for place in 0..<rows.count { changes.record(batches.row(rows[place])) }
    }

    /// Adds some rows and some lists of documents that have none.
    mutating func add(_ load: IndexLoad, rows: Range<Int>, documents: Range<Int>) throws(StorageError) {
        try addLists(load.documents, documents, load.batches)
        try insert(load.rows, rows, load.batches)
        rowsGained += rows.count
    }

    /// Replaces the rows of all documents, and writes only what differs.
    mutating func replace(_ batches: borrowing PinnedBatches, _ changes: inout RowChanges) throws(StorageError) {
        let documents = batches.documentsInOrder()
        var newRows = BatchOrder(.rows, capacity: batches.rowCount)
        var end = try AppendPosition(emitted)
        for place in 0..<documents.count {
            let document = batches.document(documents[place])
            unsafe setDocument(document.id)
            let isAbove = unsafe end.isAbove(self.document.bytes)
            old.removeAll()
            if !isAbove { try find() }
            let (isChanged, hasOtherKeys) = try compare(document, batches, &newRows, &changes)
            if isChanged { changes.documents += 1 }
            rowsGained += document.rowCount - old.count
            if document.rowCount == 0 {
                if old.count > 0 { try removeList() }
            } else if hasOtherKeys || old.sequence != sequence(of: document) {
                _ = try putList(document, batches, isAbove ? .append : .upsert)
            }
        }
        newRows.sort(batches)
        try insert(newRows, 0..<newRows.count, batches)
    }

    /// Compares a document's rows with its old ones: removes rows, changes some in place, and defers new ones.

    var storedRowCount: Int { old.count }

    func hasStoredKey(of row: PinnedRow, _ emit: Int) -> Bool {
        unsafe old.withKey(emit) { key in unsafe row.key.equals(key) }
    }

    mutating func hasStoredText(of row: PinnedRow) throws(StorageError) -> Bool {
        setPlace(row)
        return try unsafe LongKeyTable(.rows, in: transaction.base).withValue(of: place.bytes) {
            (value) throws(StorageError) in
            guard let value = unsafe value else { throw .damagedEmitted }
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
        guard let number = UInt32(exactly: emit) else { throw .damagedEmitted }
        unsafe old.withKey(emit) { key in
            unsafe RowKey.write(index: index, key: key, id: document.id, emit: number, to: &place)
            unsafe changes.record(key: key.bytes, id: document.id.bytes, emit: number)
        }
        guard try unsafe transaction.removeLong(place.bytes, in: .rows, mode: .known) else { throw .damagedEmitted }
    }

    /// Whether the row at `place`, which must exist, has the JSON of `row`.

    /// Writes new rows, which are in order.
    private mutating func insert(
        _ order: borrowing BatchOrder,
        _ range: Range<Int>,
        _ batches: borrowing PinnedBatches
    ) throws(StorageError) {
        if range.isEmpty { return }
        var end = try AppendPosition(rows)
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
        guard isNew else { throw .damagedEmitted }
    }

    // MARK: Lists

    /// Reads the list of the current document into `old`, if there is one.
    private mutating func find() throws(StorageError) {
        if unsafe LongKey.isPlain(document.bytes) {
            guard try unsafe emitted.seek(.atOrAfter(document.bytes)), unsafe emitted.key.equals(document.bytes)
            else { return }
            return try unsafe old.read(emitted.value)
        }
        try unsafe LongKeyTable(.emitted, in: transaction.base).withValue(of: document.bytes) {
            (value) throws(StorageError) in
            if let value = unsafe value { try unsafe old.read(value) }
        }
    }

    /// Writes the lists of documents that have none and are in order.
    private mutating func addLists(
        _ documents: borrowing BatchOrder,
        _ range: Range<Int>,
        _ batches: borrowing PinnedBatches
    ) throws(StorageError) {
        if range.isEmpty { return }
        var end = try AppendPosition(emitted)
        for place in range {
            let document = batches.document(documents[place])
            unsafe setDocument(document.id)
            let mode: PutMode = unsafe end.isAbove(self.document.bytes) ? .append : .new
            guard try putList(document, batches, mode) else { throw .damagedEmitted }
        }
    }

    private func putList(
        _ document: PinnedDocument,
        _ batches: borrowing PinnedBatches,
        _ mode: PutMode
    ) throws(StorageError) -> Bool {
        let sequence = sequence(of: document)
        let length = EmittedValue.length(document, sequence, of: batches)
        return try unsafe transaction.putLong(self.document.bytes, by: emitted, in: .emitted, length, mode) { target in
            unsafe EmittedValue.write(document, sequence, of: batches, to: target)
        }
    }

    /// Returns the sequence to be stored.
    private func sequence(of document: PinnedDocument) -> UInt64 { keepsSequences ? document.sequence : 0 }

    private func removeList() throws(StorageError) {
        guard try unsafe transaction.removeLong(document.bytes, in: .emitted, mode: .known) else {
            throw .damagedEmitted
        }
    }

    // MARK: Keys

    private mutating func setDocument(_ id: UnsafeRawBufferPointer) {
        document.removeAll()
        document.append(bigEndian: index)
        unsafe document.append(id)
    }

    private mutating func setPlace(_ row: PinnedRow) {
        unsafe RowKey.write(index: index, key: row.key, id: row.id, emit: row.emit, to: &place)
    }
}
