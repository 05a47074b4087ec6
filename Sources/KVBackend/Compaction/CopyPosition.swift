internal import StorageProtocol

/// How far a copy in the order of tables and keys has come: everything up to here has been copied, nothing after it.
struct CopyPosition {
    /// The table that is being copied; nil once all have been.
    private(set) var table: Table? = Table.allCases.first
    /// The last key that was copied in it; nil if there is none yet.
    private(set) var key: [UInt8]?

    mutating func advance(to key: UnsafeRawBufferPointer) { self.key = unsafe Array(key) }

    mutating func finishTable() {
        table = table.flatMap { Table(rawValue: $0.rawValue + 1) }
        key = nil
    }

    /// Whether an entry with this key has been copied, if there is one.
    func covers(_ entry: LoggedKey) -> Bool {
        guard let table else { return true }
        if entry.table != table { return entry.table.rawValue < table.rawValue }
        guard let key else { return false }
        return !key.lexicographicallyPrecedes(entry.key)
    }
}

// MARK: - Copying

extension CopyPosition {
    /// Appends the entries after this position unchanged, until `limit` bytes have been copied or there are no more,
    /// and moves past them. After an error the position is undefined.
    ///
    /// - Returns: The bytes of their keys and values.
    mutating func copy<Transaction: OrderedTransaction>(
        _ limit: Int,
        from source: Transaction,
        to writer: Transaction
    ) throws(StorageError) -> Int {
        var bytes = 0
        while bytes < limit, let table {
            let cursor = try source.cursor(table, for: .wholeTable)
            defer { cursor.close() }
            var isThere = try seek(cursor)
            while isThere {
                let (key, value) = unsafe (cursor.key, cursor.value)
                _ = try unsafe writer.put(key, in: table, length: value.count, mode: .append) {
                    unsafe $0.copyMemory(from: value)
                }
                bytes += key.count + value.count
                if bytes >= limit {
                    unsafe advance(to: key)
                    return bytes
                }
                isThere = try cursor.next()
            }
            finishTable()
        }
        return bytes
    }

    /// Moves to the first entry above this position's key. The entry with that key may have been removed.
    private func seek(_ cursor: some OrderedCursor) throws(StorageError) -> Bool {
        guard let key else { return try cursor.seek(.first) }
        return try unsafe key.span.bytes.withUnsafeBytes { (bytes) throws(StorageError) in
            guard try unsafe cursor.seek(.atOrAfter(bytes)) else { return false }
            guard unsafe cursor.key.elementsEqual(bytes) else { return true }
            return try cursor.next()
        }
    }
}
