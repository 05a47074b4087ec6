internal import StorageProtocol

extension SQLiteRowReplacement {
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
                let statement = try statements.hold(many ? .addRows : .addRow)
                let count = many ? Query.indexRowsAtOnce : 1
                for number in 0..<count { statement.bind(window[written + number], from: Int32(5 * number + 1)) }
                try statements.run(statement)
                written += count
            }
            place += window.count
        }
    }
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
