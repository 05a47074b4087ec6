internal import StorageProtocol

/// Checks that the tables of one snapshot are consistent with each other, and collects contradictions.
final class LayoutCheck<Store: OrderedStore> {
    let transaction: KVReadTransaction<Store>
    private(set) var problems: [StorageProblem] = []
    /// The highest sequence found.
    var highestSequence: UInt64 = 0

    /// The maximum number of problems reported: one damaged page can cause thousands.
    static var limit: Int { 1_000 }

    init(_ transaction: KVReadTransaction<Store>) { self.transaction = transaction }

    /// The number of parts of `run`.
    static var parts: Int { 6 }

    /// Checks everything. Complexity: a look-up for nearly every entry.
    ///
    /// - Parameter progress: Called with the number of parts done.
    func run(_ progress: (_ done: Int) throws(StorageError) -> Void) throws(StorageError) {
        try progress(0)
        guard checkChains() else { return try progress(LayoutCheck.parts) }
        try progress(1)
        let counts = checkRecords()
        try progress(2)
        checkSequences(records: counts.records)
        try progress(3)
        checkBodies()
        checkHidden()
        try progress(4)
        checkExpirations()
        checkValues()
        checkDictionaries()
        try progress(5)
        checkIndexes()
        checkNumbers(live: counts.live)
        try progress(LayoutCheck.parts)
    }

    func problem(_ area: String, _ message: String) {
        if problems.count < LayoutCheck.limit { problems.append(StorageProblem(area: area, message: message)) }
    }

    /// Passes the entries of a table to `visit`. An error that it throws is a problem of that entry.
    func each(
        _ table: Table,
        _ area: String,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) {
        attempt(area) { () throws(StorageError) in
            let cursor = try transaction.base.cursor(table, for: .wholeTable)
            defer { cursor.close() }
            try unsafe visitAll(cursor, area, visit)
        }
    }

    /// Like `each`, for a table with long keys.
    func eachLong(
        _ table: Table,
        _ area: String,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) {
        attempt(area) { () throws(StorageError) in
            let cursor = try LongKeyTable(table, in: transaction.base).cursor(fillsCaches: false)
            defer { cursor.close() }
            try unsafe visitAll(cursor, area, visit)
        }
    }

    private func visitAll(
        _ cursor: some OrderedCursor,
        _ area: String,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
        var isThere = try cursor.seek(.first)
        var order = KeyOrder()
        while isThere {
            try unsafe order.pass(cursor.key)
            attempt(area) { () throws(StorageError) in try unsafe visit(cursor.key, cursor.value) }
            isThere = try cursor.next()
        }
    }

    /// Runs a part of the check. An error that it throws is a problem.
    func attempt(_ area: String, _ body: () throws(StorageError) -> Void) {
        do throws(StorageError) {
            try body()
        } catch {
            problem(area, error.message)
        }
    }

    /// Decodes a key of 8 bytes as a number.
    func number(_ key: UnsafeRawBufferPointer) throws(StorageError) -> UInt64 {
        guard let number = unsafe FixedKey.number(key) else { throw .damagedKey }
        return number
    }

    /// Returns an ID as text for messages.
    func name(_ id: UnsafeRawBufferPointer) -> String { unsafe "'\(String(decoding: id, as: UTF8.self))'" }
}
