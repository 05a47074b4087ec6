/// A cursor over the rows of an index. It can move to any key and from there to the following rows. It reads ahead: one
/// row after a `seek`, then twice as many each time, up to 256 or about 64 KiB.
///
/// It belongs to its transaction's thread. It may miss rows that the transaction has written since, until the next
/// `seek` to a row that was not read ahead.
public final class IndexRowCursor {
    private let reader: any IndexReader
    private let name: String
    private let descending: Bool
    /// Consecutive rows, each with a document of its own.
    private var page = IndexBatch()
    private var emits: [UInt32] = []
    /// The number of the current row in the page; nil: the cursor has no position.
    private var place: Int?
    private var rowsAtATime = 1

    private static let mostRows = 256
    private static let mostBytes = 64 << 10

    init(_ reader: any IndexReader, _ name: String, descending: Bool) {
        self.reader = reader
        self.name = name
        self.descending = descending
    }

    /// Moves to the first row that `position` stands for, or the next one after it. A descending cursor moves to the
    /// last such row or the one before it.
    ///
    /// - Parameter position: Nil: the beginning, or the end if the cursor is descending.
    /// - Returns: False if there is no such row. The cursor then has no position.
    /// - Throws: `notFound` (404) if there is no such index.
    /// - Complexity: O(log rows), or O(1) if the row was read ahead.
    public func seek(_ position: IndexPosition?) throws(StorageError) -> Bool {
        if let position, let known = placeAhead(position) {
            place = known
            return true
        }
        rowsAtATime = 1
        return try read(from: position.map { .including($0) } ?? .open)
    }

    /// Moves to the next row. Returns false at the end, and if the cursor has no position.
    public func next() throws(StorageError) -> Bool {
        guard let place else { return false }
        if place + 1 < page.rowCount {
            self.place = place + 1
            return true
        }
        rowsAtATime = min(2 * rowsAtATime, IndexRowCursor.mostRows)
        return try read(from: .excluding(position(place)))
    }

    /// Passes the current row to `body`.
    ///
    /// - Throws: `badParameter` (495) if the cursor has no position, and the error of `body`.
    public func withRow<R>(_ body: (borrowing IndexRowView) throws(StorageError) -> R) throws(StorageError) -> R {
        guard let place else {
            throw StorageError(.badParameter, "The cursor stands at no row. Seek one that is there.")
        }
        let sequences = IndexedSequences(reader, name)
        defer { withExtendedLifetime(sequences) {} }
        return try page.withID(of: place) { (id) throws(StorageError) in
            try page.withRow(place) { (key, keyJSON, valueJSON) throws(StorageError) in
                try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
                    try unsafe id.withUnsafeBytes { (id) throws(StorageError) in
                        try unsafe keyJSON.withUnsafeBytes { (keyJSON) throws(StorageError) in
                            func hand(_ value: UnsafeRawBufferPointer?) throws(StorageError) -> R {
                                let view = unsafe IndexRowView(
                                    emit: self.emits[place],
                                    key: key,
                                    id: id,
                                    keyJSON: keyJSON,
                                    valueJSON: value,
                                    sequences: sequences
                                )
                                return try body(view)
                            }
                            guard let valueJSON else { return try hand(nil) }
                            return try unsafe valueJSON.withUnsafeBytes { (value) throws(StorageError) in
                                try unsafe hand(value)
                            }
                        }
                    }
                }
            }
        }
    }

    // MARK: Reading ahead

    private func read(from bound: IndexRange.Bound) throws(StorageError) -> Bool {
        var rows = IndexBatch()
        var numbers: [UInt32] = []
        let range = descending ? IndexRange(upper: bound) : IndexRange(lower: bound)
        try reader.indexRows(name, in: range, descending: descending) { (row) throws(StorageError) in
            rows.add(row)
            numbers.append(row.emit)
            return rows.rowCount < rowsAtATime && rows.byteCount < IndexRowCursor.mostBytes
        }
        (page, emits) = (rows, numbers)
        place = rows.rowCount > 0 ? 0 : nil
        return place != nil
    }

    /// Returns the number of the first row of the page at or after `position`, if rows on both sides of it were read.
    private func placeAhead(_ position: IndexPosition) -> Int? {
        guard place != nil, order(0, position) < 0 else { return nil }
        var (low, high) = (0, page.rowCount)
        while low < high {
            let middle = (low + high) / 2
            if order(middle, position) < 0 { low = middle + 1 } else { high = middle }
        }
        return low < page.rowCount ? low : nil
    }

    /// Negative if a row comes before `position` in the cursor's direction; zero if `position` stands for it.
    private func order(_ row: Int, _ position: IndexPosition) -> Int {
        let own = self.position(row)
        var order = compareBytes(own.key, position.key)
        if order == 0, let id = position.documentID { order = compareBytes(own.documentID ?? [], id) }
        if order == 0, position.documentID != nil, let emit = position.emit {
            order = emits[row] < emit ? -1 : emits[row] == emit ? 0 : 1
        }
        return descending ? -order : order
    }

    private func position(_ row: Int) -> IndexPosition {
        let id = page.withID(of: row) { id in unsafe id.withUnsafeBytes { unsafe Array($0) } }
        let key = page.withRow(row) { key, _, _ in unsafe key.withUnsafeBytes { unsafe Array($0) } }
        return IndexPosition(key: key, documentID: id, emit: emits[row])
    }
}

extension IndexReader {
    /// Returns a cursor over the rows of an index. It has no position before `seek`.
    public func indexRowCursor(_ name: String, descending: Bool = false) -> IndexRowCursor {
        IndexRowCursor(self, name, descending: descending)
    }
}
