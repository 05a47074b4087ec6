internal import StorageProtocol

extension KVReadTransaction {
    /// Passes the entries of a table whose keys are 8-byte numbers to `visit` until it returns false. What it receives
    /// is valid until it returns.
    ///
    /// - Parameter fillsCaches: See `CursorUse`.
    /// - Throws: `corrupt` (591) for another key, and for keys out of order; `notOpen` (503) if a closure in `visit`
    ///   has ended the transaction.
    @inline(__always)
    final func scan(
        _ table: Table,
        numbers range: ClosedRange<UInt64>,
        descending: Bool,
        fillsCaches: Bool = true,
        _ visit: (_ number: UInt64, UnsafeRawBufferPointer) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let cursor = try unsafe FixedKey(range.lowerBound).withBytes { (lower) throws(StorageError) in
            try unsafe FixedKey(range.upperBound).withBytes { (upper) throws(StorageError) in
                try base.cursor(table, for: unsafe CursorUse(lower: lower, upper: upper, fillsCaches: fillsCaches))
            }
        }
        defer { if !isOver { cursor.close() } }
        var isThere = try unsafe FixedKey(descending ? range.upperBound : range.lowerBound).withBytes {
            (key) throws(StorageError) in
            if try unsafe cursor.seek(.atOrAfter(key)) {
                guard descending else { return true }
                // The entry of the upper bound itself, or the one before what is above it.
                if unsafe FixedKey.number(cursor.key) == range.upperBound { return true }
                return try cursor.previous()
            }
            return descending ? try cursor.seek(.last) : false
        }
        var last: UInt64?
        while isThere {
            guard let number = unsafe FixedKey.number(cursor.key) else { throw .damagedKey }
            if let last, descending ? number >= last : number <= last { throw .outOfOrder }
            // In a damaged tree a search may end on the wrong side of what is sought.
            guard descending ? number <= range.upperBound : number >= range.lowerBound else { throw .outOfOrder }
            last = number
            if descending ? number < range.lowerBound : number > range.upperBound { return }
            guard try unsafe visit(number, cursor.value) else { return }
            if isOver { throw .transactionIsOver }
            isThere = descending ? try cursor.previous() : try cursor.next()
        }
    }

    /// Passes the entries of a table with long keys whose keys are in `range` to `visit` until it returns false. What
    /// it receives is valid until it returns.
    ///
    /// - Parameter fillsCaches: See `CursorUse`.
    /// - Throws: `corrupt` (591) for keys out of order; `notOpen` (503) if a closure in `visit` has ended the
    ///   transaction.
    @inline(__always)
    final func scan(
        _ table: Table,
        in range: ByteRange,
        descending: Bool = false,
        fillsCaches: Bool = true,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let cursor = try LongKeyTable(table, in: base).cursor(in: range, fillsCaches: fillsCaches)
        defer { if !isOver { cursor.close() } }
        var isThere = try descending ? cursor.seek(last: range.upper) : cursor.seek(first: range.lower)
        let end = descending ? range.lower : range.upper
        var order = KeyOrder(descending: descending)
        try unsafe end.withBytes { (bound, isIncluded) throws(StorageError) in
            while isThere {
                let key = unsafe cursor.key
                try unsafe order.pass(key)
                if let bound = unsafe bound {
                    let order = unsafe compareBytes(key.bytes, bound.bytes)
                    if order == 0 ? !isIncluded : (order < 0) == descending { return }
                }
                guard try unsafe visit(key, cursor.value) else { return }
                if isOver { throw .transactionIsOver }
                isThere = descending ? try cursor.previous() : try cursor.next()
            }
        }
    }
}

extension StorageError {
    static var damagedKey: StorageError { .corrupt("A key of the store is damaged") }
}
