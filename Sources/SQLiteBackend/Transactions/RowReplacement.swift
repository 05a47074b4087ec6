internal import StorageProtocol

/// One replacement of rows of an index. It keeps its statements from the first use to its end.
///
/// New rows are put off and written at the end in their order, new reverse records in the order of their IDs, many in a
/// statement: neighbours share pages.
struct RowReplacement: ~Copyable {
    private let transaction: SQLiteWriteTransaction
    private let index: Int64
    private var held: [Statement?]
    /// The keys of the document at hand before now.
    private var old = EmittedKeys()
    /// Its sequence before now, where it has keys.
    private var oldSequence: Int64 = 0
    /// Reverse records that are about to be bound.
    private var records: [UInt8] = []
    private var recordEnds: [Int] = []
    /// How many rows the index has gained.
    private(set) var rowsGained = 0

    init(_ transaction: SQLiteWriteTransaction, _ index: Int64) {
        self.transaction = transaction
        self.index = index
        held = Array(repeating: nil, count: Query.OfIndex.allCases.count)
    }

    deinit {
        for case let statement? in held { transaction.connection.give(statement) }
    }

    // MARK: Documents without rows so far

    /// Adds all rows of all documents.
    mutating func add(_ batches: borrowing PinnedBatches, _ changes: inout RowChanges) throws(StorageError) {
        rowsGained += batches.rowCount
        try insertRows(batches.rowsInOrder(), of: batches)
        let documents = batches.documentsInOrder()
        var added = BatchOrder(.documents, capacity: documents.count)
        for place in 0..<documents.count {
            let document = batches.document(documents[place])
            if document.rowCount == 0 { continue }
            added.append(documents[place])
            changes.documents += 1
            guard changes.recordsPositions else { continue }
            for emit in 0..<document.rowCount { changes.record(batches.row(document.row(emit))) }
        }
        try insertRecords(added, of: batches)
    }

    // MARK: Any documents

    /// Replaces the rows of all documents, writing only what differs.
    mutating func replace(_ batches: borrowing PinnedBatches, _ changes: inout RowChanges) throws(StorageError) {
        let documents = batches.documentsInOrder()
        var newRows = BatchOrder(.rows, capacity: batches.rowCount)
        var newDocuments = BatchOrder(.documents, capacity: documents.count)
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
            if old.count > 0 { try updateRecord(document, batches, hasOtherKeys) }
        }
        newRows.sort(batches)
        try insertRows(newRows, of: batches)
        try insertRecords(newDocuments, of: batches)
    }

    /// Compares a document's rows with its old ones: removes rows, changes some in place, and puts new ones off.
    private mutating func compare(
        _ document: PinnedDocument,
        _ batches: borrowing PinnedBatches,
        _ newRows: inout BatchOrder,
        _ changes: inout RowChanges
    ) throws(StorageError) -> (isChanged: Bool, hasOtherKeys: Bool) {
        var isChanged = false
        var hasOtherKeys = false
        for emit in 0..<max(old.count, document.rowCount) {
            if emit < document.rowCount, emit < old.count {
                let row = batches.row(document.row(emit))
                if unsafe old.isKey(emit, row.key) {
                    if try isStored(row) { continue }
                    try change(row)
                    changes.record(row)
                    isChanged = true
                    continue
                }
            }
            isChanged = true
            hasOtherKeys = true
            if emit < old.count { try unsafe remove(emit, document.id, &changes) }
            if emit < document.rowCount {
                newRows.append(document.row(emit))
                if changes.recordsPositions { changes.record(batches.row(document.row(emit))) }
            }
        }
        return (isChanged, hasOtherKeys)
    }

    private mutating func remove(
        _ emit: Int,
        _ id: UnsafeRawBufferPointer,
        _ changes: inout RowChanges
    ) throws(StorageError) {
        let statement = try hold(.removeRow)
        try unsafe old.withKey(emit) { (key) throws(StorageError) in
            try run(statement) { unsafe $0.bind(key, id, emit) }
            guard transaction.connection.changes == 1 else { throw .missingRow }
            unsafe changes.record(key: key.bytes, id: id.bytes, emit: UInt32(truncatingIfNeeded: emit))
        }
    }

    private mutating func change(_ row: PinnedRow) throws(StorageError) {
        try run(try hold(.changeRow)) { $0.bind(row, from: 1) }
    }

    /// Whether the stored row has the same JSON as `row`, whose key it has.
    private mutating func isStored(_ row: PinnedRow) throws(StorageError) -> Bool {
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

    /// Reads the reverse record of a document into `old`. False: there is none.
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

    /// Brings the reverse record of a document that has one up to date.
    private mutating func updateRecord(
        _ document: PinnedDocument,
        _ batches: borrowing PinnedBatches,
        _ hasOtherKeys: Bool
    ) throws(StorageError) {
        if document.rowCount == 0 {
            return try run(try hold(.removeDocument)) { unsafe $0.bindText(document.id, 1) }
        }
        let sequence = Int64(bitPattern: document.sequence)
        if !hasOtherKeys && sequence == oldSequence { return }
        records.removeAll(keepingCapacity: true)
        try EmittedKeys.append(document, of: batches, to: &records)
        let statement = try hold(.putDocument)
        try unsafe records.withRawBytes { (keys) throws(StorageError) in
            try run(statement) { statement in
                unsafe statement.bindText(document.id, 1)
                statement.bind(sequence, 2)
                unsafe statement.bindBlob(keys, 3)
            }
        }
    }

    // MARK: Many at once

    private mutating func insertRows(
        _ rows: borrowing BatchOrder,
        of batches: borrowing PinnedBatches
    ) throws(StorageError) {
        var place = 0
        while place < rows.count {
            let many = rows.count - place >= Query.indexRowsAtOnce
            let statement = try hold(many ? .addRows : .addRow)
            let count = many ? Query.indexRowsAtOnce : 1
            for number in 0..<count {
                statement.bind(batches.row(rows[place + number]), from: Int32(5 * number + 1))
            }
            try run(statement) { _ in }
            place += count
        }
    }

    private mutating func insertRecords(
        _ documents: borrowing BatchOrder,
        of batches: borrowing PinnedBatches
    ) throws(StorageError) {
        var place = 0
        while place < documents.count {
            let many = documents.count - place >= Query.indexRowsAtOnce
            let statement = try hold(many ? .addDocuments : .addDocument)
            let count = many ? Query.indexRowsAtOnce : 1
            records.removeAll(keepingCapacity: true)
            recordEnds.removeAll(keepingCapacity: true)
            for number in 0..<count {
                try EmittedKeys.append(batches.document(documents[place + number]), of: batches, to: &records)
                recordEnds.append(records.count)
            }
            try unsafe records.withRawBytes { (records) throws(StorageError) in
                var start = 0
                for number in 0..<count {
                    let document = batches.document(documents[place + number])
                    let first = Int32(3 * number + 1)
                    unsafe statement.bindText(document.id, first)
                    statement.bind(Int64(bitPattern: document.sequence), first + 1)
                    let end = recordEnds[number]
                    unsafe statement.bindBlob(UnsafeRawBufferPointer(rebasing: records[start..<end]), first + 2)
                    start = end
                }
                try run(statement) { _ in }
            }
            place += count
        }
    }

    // MARK: Statements

    private mutating func hold(_ query: Query.OfIndex) throws(StorageError) -> Statement {
        if let statement = held[query.rawValue] { return statement }
        let statement = try transaction.connection.take(.of(index, query))
        held[query.rawValue] = statement
        return statement
    }

    private func run(_ statement: Statement, _ bind: (Statement) -> Void) throws(StorageError) {
        bind(statement)
        guard statement.step() != nil else { throw failure("Writing to the database") }
        statement.reset()
    }

    /// Runs a query of one row.
    private func read<R>(
        _ statement: Statement,
        _ body: (Statement) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        guard let hasRow = statement.step() else { throw failure("Reading the database") }
        defer { statement.reset() }
        guard hasRow else { throw .missingRow }
        return try body(statement)
    }

    private func failure(_ doing: String) -> StorageError { transaction.connection.failure().error(doing) }
}

extension Statement {
    /// Binds a row's place to parameters 1 to 3.
    @unsafe
    fileprivate func bind(_ key: UnsafeRawBufferPointer, _ id: UnsafeRawBufferPointer, _ emit: Int) {
        unsafe bindBlob(key, 1)
        unsafe bindText(id, 2)
        bind(Int64(emit), 3)
    }

    /// Binds a row to the five parameters from `first` on.
    fileprivate func bind(_ row: PinnedRow, from first: Int32) {
        unsafe bindBlob(row.key, first)
        unsafe bindText(row.id, first + 1)
        bind(Int64(row.emit), first + 2)
        unsafe bindText(row.keyJSON, first + 3)
        if let value = unsafe row.valueJSON {
            unsafe bindText(value, first + 4)
        } else {
            bindNull(first + 4)
        }
    }
}

extension RowChanges {
    fileprivate mutating func record(_ row: PinnedRow) {
        guard recordsPositions else { return }
        unsafe record(key: row.key.bytes, id: row.id.bytes, emit: row.emit)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        unsafe count == other.count && compareBytes(bytes, other.bytes) == 0
    }
}

extension StorageError {
    fileprivate static var missingRow: StorageError {
        .corrupt("An index row is missing that its document's record names")
    }
}
