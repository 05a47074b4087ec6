internal import StorageProtocol

/// Like `PositionOrder`, for rows of an index.
struct IndexRowOrder: ~Copyable {
    private let range: IndexRange
    private let descending: Bool
    private var key = LastPosition()
    private var id = LastPosition()
    private var emit: UInt32 = 0
    private var isFirst = true

    init(_ range: IndexRange, descending: Bool) {
        self.range = range
        self.descending = descending
    }

    /// - Throws: `corrupt` (591) if the row is not after the last one.
    mutating func advance(to row: borrowing IndexRowView) throws(StorageError) {
        if isFirst {
            let place = RowPosition(row)
            guard descending ? place.isBelow(range.upper) : place.isAbove(range.lower) else {
                throw IndexRowOrder.broken
            }
            isFirst = false
        } else {
            let order = order(of: row)
            guard descending ? order < 0 : order > 0 else { throw IndexRowOrder.broken }
        }
        row.withKey { key.take($0) }
        row.withID { id.take($0) }
        emit = row.emit
    }

    /// Must be called when the listing has ended: rows in order are within the range if the last one is.
    ///
    /// - Throws: `corrupt` (591) if there were rows beyond the end.
    consuming func end() throws(StorageError) {
        if isFirst { return }
        let place = RowPosition(key: key.copy, id: id.copy, emit: emit)
        guard descending ? place.isAbove(range.lower) : place.isBelow(range.upper) else { throw IndexRowOrder.broken }
    }

    /// Negative, 0 or positive if the row is before, at or after the last one.
    private func order(of row: borrowing IndexRowView) -> Int {
        let keys = row.withKey { key.order(of: $0) }
        if keys != 0 { return keys }
        let ids = row.withID { id.order(of: $0) }
        if ids != 0 { return ids }
        return row.emit == emit ? 0 : row.emit < emit ? -1 : 1
    }

    private static var broken: StorageError { .outOfOrder("rows of an index") }
}
