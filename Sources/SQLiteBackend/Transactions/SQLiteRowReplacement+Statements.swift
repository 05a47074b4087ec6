internal import StorageEngineKit
internal import StorageProtocol

extension SQLiteRowReplacement {
    /// Inserts rows, which are in order.
    mutating func insertRows(
        _ rows: borrowing BatchOrder,
        _ range: Range<Int>,
        of batches: borrowing PinnedBatches
    ) throws(StorageError) {
        let cells = RowCells(columns: 5, capacity: min(range.count, Self.rowsAtOnce))
        var window = RowWindow()
        var (place, count) = (range.lowerBound, 0)
        while place < range.upperBound {
            window.load(rows, place..<range.upperBound, batches)
            for number in 0..<window.count {
                cells.set(count, to: window[number])
                count += 1
                guard count == cells.capacity else { continue }
                try statements.addRows(cells, count)
                count = 0
            }
            place += window.count
        }
        try statements.addRows(cells, count)
    }

    /// The most rows that a statement inserts.
    private static var rowsAtOnce: Int { 256 }
}

extension RowCells {
    /// Sets the five cells of a row. The row must stay where it is until the statement has run.
    fileprivate func set(_ place: Int, to row: PinnedRow) {
        unsafe setBlob(place, 0, row.key)
        unsafe setText(place, 1, row.id)
        set(place, 2, to: Int64(row.emit))
        unsafe setText(place, 3, row.keyJSON)
        if let value = unsafe row.valueJSON {
            unsafe setText(place, 4, value)
        } else {
            setNull(place, 4)
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

    /// Binds a row to parameters 1 to 5.
    func bind(_ row: PinnedRow) {
        unsafe bind(row.key, row.id, Int(row.emit))
        unsafe bindText(row.keyJSON, 4)
        if let value = unsafe row.valueJSON {
            unsafe bindText(value, 5)
        } else {
            bindNull(5)
        }
    }
}
