internal import StorageProtocol

/// A replacement of rows of an index. It keeps its statements from the first use to its end.
///
/// New rows are deferred and written at the end in their order, new reverse records in the order of their IDs, many in
/// a statement: neighbours share pages.
struct SQLiteRowReplacement: ~Copyable, RowReplacing {
    let transaction: SQLiteWriteTransaction
    let index: Int64
    private let keepsSequences: Bool
    var held: [Statement?]
    /// The old keys of the current document.
    private var old = EmittedKeys()
    /// Its old sequence, if it has keys.
    private var oldSequence: Int64 = 0
    /// Reverse records that are about to be bound.
    var records: [UInt8] = []
    var recordEnds: [Int] = []
    /// The increase in the number of rows of the index.
    private(set) var rowsGained = 0

    init(_ transaction: SQLiteWriteTransaction, _ index: Int64, keepsSequences: Bool) {
        self.transaction = transaction
        self.index = index
        self.keepsSequences = keepsSequences
        held = Array(repeating: nil, count: Query.OfIndex.allCases.count)
    }

    deinit {
        for case let statement? in held { transaction.connection.give(statement) }
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
        try writeRecords(documents, 0..<documents.count, of: batches, one: .addDocument, many: .addDocuments)
    }

    // MARK: Any documents

    /// Replaces the rows of all documents, and writes only what differs.
    mutating func replace(_ batches: borrowing PinnedBatches, _ changes: inout RowChanges) throws(StorageError) {
        let documents = batches.documentsInOrder()
        var newRows = BatchOrder(.rows, capacity: batches.rowCount)
        var newDocuments = BatchOrder(.documents, capacity: documents.count)
        var changedDocuments = BatchOrder(.documents, capacity: documents.count)
        let greatest = try greatestID()
        for place in 0..<documents.count {
            let document = batches.document(documents[place])
            var isThere = false
            if let greatest, unsafe compareBytes(greatest.span.bytes, document.id.bytes) >= 0 {
                isThere = try unsafe find(document.id)
            }
            if !isThere {
                if document.rowCount > 0 { newDocuments.append(documents[place]) }
                old.removeAll()
            }
            let (isChanged, hasOtherKeys) = try compare(document, batches, &newRows, &changes)
            if isChanged { changes.documents += 1 }
            rowsGained += document.rowCount - old.count
            if old.count == 0 { continue }
            if document.rowCount == 0 {
                try run(try hold(.removeDocument)) { unsafe $0.bindText(document.id, 1) }
            } else if hasOtherKeys || oldSequence != sequence(of: document) {
                changedDocuments.append(documents[place])
            }
        }
        newRows.sort(batches)
        try insertRows(newRows, 0..<newRows.count, of: batches)
        let (new, changed) = (0..<newDocuments.count, 0..<changedDocuments.count)
        try writeRecords(newDocuments, new, of: batches, one: .addDocument, many: .addDocuments)
        if transaction.connection.isEncrypted {
            try writeRecords(changedDocuments, changed, of: batches, one: .changeDocument, many: nil)
        } else {
            try writeRecords(changedDocuments, changed, of: batches, one: .putDocument, many: .putDocuments)
        }
    }

    /// Compares a document's rows with its old ones: removes rows, changes some in place, and defers new ones.

    var storedRowCount: Int { old.count }

    func hasStoredKey(of row: PinnedRow, _ emit: Int) -> Bool { unsafe old.isKey(emit, row.key) }

    mutating func remove(
        _ emit: Int,
        of document: PinnedDocument,
        _ changes: inout RowChanges
    ) throws(StorageError) {
        let statement = try hold(.removeRow)
        try unsafe old.withKey(emit) { (key) throws(StorageError) in
            try run(statement) { unsafe $0.bind(key, document.id, emit) }
            guard transaction.connection.changes == 1 else { throw .missingRow }
            unsafe changes.record(key: key.bytes, id: document.id.bytes, emit: UInt32(truncatingIfNeeded: emit))
        }
    }

    mutating func change(_ row: PinnedRow) throws(StorageError) {
        try run(try hold(.changeRow)) { $0.bind(row, from: 1) }
    }

    mutating func hasStoredText(of row: PinnedRow) throws(StorageError) -> Bool {
        let statement = try hold(.sameRow)
        unsafe statement.bind(row.key, row.id, Int(row.emit))
        return try read(statement) { (stored) throws(StorageError) in
            if stored.isNull(0) { throw .missingRow }
            guard try unsafe stored.bytes(0, type: .text).equals(row.keyJSON) else { return false }
            guard let value = unsafe row.valueJSON else { return stored.isNull(1) }
            if stored.isNull(1) { return false }
            return try unsafe stored.bytes(1, type: .text).equals(value)
        }
    }

    // MARK: Reverse records

    /// Returns the sequence to be stored.
    func sequence(of document: PinnedDocument) -> Int64 {
        keepsSequences ? Int64(bitPattern: document.sequence) : 0
    }

    /// Reads the reverse record of a document into `old`. Returns false if there is none.
    private mutating func find(_ id: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
        let statement = try hold(.document)
        unsafe statement.bindText(id, 1)
        guard let hasRow = statement.step() else { throw failure("Reading the database") }
        defer { statement.reset() }
        guard hasRow, !statement.isNull(0) else { return false }
        oldSequence = statement.integer(0)
        try unsafe old.read(statement.bytes(1, type: .blob))
        guard old.count > 0 else { throw .corrupt("A document without rows is in an index") }
        return true
    }

    private mutating func greatestID() throws(StorageError) -> [UInt8]? {
        try read(try hold(.greatestID)) { (row) throws(StorageError) -> [UInt8]? in
            row.isNull(0) ? nil : try unsafe Array(row.bytes(0, type: .text))
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
