internal import StorageProtocol

extension SQLiteRowReplacement {
    // MARK: Many at once

    /// Inserts rows, which are in order.
    mutating func insertRows(
        _ rows: borrowing BatchOrder,
        _ range: Range<Int>,
        of batches: borrowing PinnedBatches
    ) throws(StorageError) {
        var window = RowWindow()
        var place = range.lowerBound
        while place < range.upperBound {
            window.load(rows, place..<range.upperBound, batches)
            var written = 0
            while written < window.count {
                let many = window.count - written >= Query.indexRowsAtOnce
                let statement = try hold(many ? .addRows : .addRow)
                let count = many ? Query.indexRowsAtOnce : 1
                for number in 0..<count { statement.bind(window[written + number], from: Int32(5 * number + 1)) }
                try run(statement) { _ in }
                written += count
            }
            place += window.count
        }
    }

    /// Writes the reverse records of documents, with a statement for one and, if there is one, another for many.
    mutating func writeRecords(
        _ documents: borrowing BatchOrder,
        _ range: Range<Int>,
        of batches: borrowing PinnedBatches,
        one: Query.OfIndex,
        many: Query.OfIndex?
    ) throws(StorageError) {
        var place = range.lowerBound
        while place < range.upperBound {
            let isMany = many != nil && range.upperBound - place >= Query.indexRowsAtOnce
            let count = isMany ? Query.indexRowsAtOnce : 1
            let statement = try hold(isMany ? many ?? one : one)
            records.removeAll(keepingCapacity: true)
            recordEnds.removeAll(keepingCapacity: true)
            for number in 0..<count {
                EmittedKeys.append(batches.document(documents[place + number]), of: batches, to: &records)
                recordEnds.append(records.count)
            }
            try unsafe records.withRawBytes { (records) throws(StorageError) in
                var start = 0
                for number in 0..<count {
                    let document = batches.document(documents[place + number])
                    let first = Int32(3 * number + 1)
                    unsafe statement.bindText(document.id, first)
                    statement.bind(sequence(of: document), first + 1)
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

    /// Returns the statement for a text, which stays with this replacement.
    mutating func hold(_ query: Query.OfIndex) throws(StorageError) -> Statement {
        if let statement = held[query.rawValue] { return statement }
        let statement = try transaction.connection.take(.of(index, query))
        held[query.rawValue] = statement
        return statement
    }

    /// Runs a statement that yields no rows.
    func run(_ statement: Statement, _ bind: (Statement) -> Void) throws(StorageError) {
        bind(statement)
        guard statement.step() != nil else { throw failure("Writing to the database") }
        statement.reset()
        transaction.didWrite()
    }

    /// Runs a query of one row.
    func read<R>(
        _ statement: Statement,
        _ body: (Statement) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        guard let hasRow = statement.step() else { throw failure("Reading the database") }
        defer { statement.reset() }
        guard hasRow else { throw .missingRow }
        return try body(statement)
    }

    func failure(_ doing: String) -> StorageError { transaction.connection.failure().error(doing) }
}

extension Statement {
    /// Binds a row's key, ID and emit number to parameters 1 to 3.
    @unsafe
    func bind(_ key: UnsafeRawBufferPointer, _ id: UnsafeRawBufferPointer, _ emit: Int) {
        unsafe bindBlob(key, 1)
        unsafe bindText(id, 2)
        bind(Int64(emit), 3)
    }

    /// Binds a row to the five parameters from `first` on.
    func bind(_ row: PinnedRow, from first: Int32) {
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
