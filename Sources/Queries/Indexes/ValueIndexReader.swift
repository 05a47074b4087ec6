internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// The rows of a value index in one snapshot, with those of what has changed since the index was updated.
struct ValueIndexReader {
    /// More changes than these are not evaluated in memory where the index cannot be updated: a walk over all documents
    /// costs less.
    private static let longestTail: UInt64 = 10_000

    private enum Source {
        /// An index in the store that has seen everything.
        case stored(CurrentIndex)
        case readable(ReadableIndex)
        case temporary(TemporaryIndex)
    }

    private let source: Source

    /// - Returns: nil if the index lacks more than is to be evaluated here, or has another definition than the database
    ///   has now. It has to be brought up to date first.
    init?(
        _ index: ValueIndex,
        of database: Database,
        in transaction: any ReadTransaction
    ) throws(StorageError) {
        if let rows = index.temporary {
            source = .temporary(rows)
            return
        }
        if let known = try database.valueIndexes.currentIndex(of: index, in: transaction) {
            source = .stored(known)
            return
        }
        let snapshot = try IndexSnapshot(index.indexName, of: database, in: transaction)
        // A plan may be older than the definition.
        guard let mapper = snapshot.mapper, mapper.version == index.version else { return nil }
        if let record = snapshot.record, record.version != mapper.version { return nil }
        let complete = try snapshot.completeIndex(of: database, in: transaction)
        let seen = complete?.state.lastSequence ?? 0
        let last = try database.lastSequence(in: transaction)
        if let complete, seen >= last {
            var known = CurrentIndex(name: complete.name, version: index.version, hasUnindexable: false)
            try transaction.orderedRows(known.name, in: IndexRanges.unindexable, descending: false) { _ in
                known.hasUnindexable = true
                return false
            }
            try database.valueIndexes.note(known, of: index, in: transaction)
            source = .stored(known)
            return
        }
        if last > seen, last - seen > ValueIndexReader.longestTail { return nil }
        let readable = try ReadableIndex(
            snapshot,
            of: database,
            in: transaction,
            tailWithin: .standard,
            identity: nil
        )
        guard let readable else { return nil }
        source = .readable(readable)
    }

    /// The rows of an index that has seen everything that the snapshot shows.
    init(_ current: CurrentIndex) { source = .stored(current) }

    /// The rows that an index in the store had when it was updated last, to estimate how many it will have; nil if it
    /// was never built.
    static func outdated(
        _ index: ValueIndex,
        of database: Database,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> ValueIndexReader? {
        let snapshot = try IndexSnapshot(index.indexName, of: database, in: transaction)
        guard let mapper = snapshot.mapper, mapper.version == index.version,
            let complete = try snapshot.completeIndex(of: database, in: transaction)
        else { return nil }
        return ValueIndexReader(CurrentIndex(name: complete.name, version: index.version, hasUnindexable: false))
    }

    /// The error for an index that was chosen and is no longer there.
    static func gone(_ index: ValueIndex) -> StorageError {
        StorageError(
            .conflict,
            "The index '\(index.name)' was removed or changed while its rows were read. Run the query again."
        )
    }

    /// Counts the rows in ranges, at most `limit`.
    ///
    /// - Parameter kept: how many of the first rows are returned, too.
    func count(
        _ ranges: [IndexRange],
        atMost limit: Int,
        keeping kept: Int = 0,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> (count: Int, first: [FindPosition]) {
        var count = 0
        var first: [FindPosition] = []
        for range in ranges where count < limit {
            // Rows that are only counted are not copied.
            let add = { (row: borrowing IndexRowView) -> Bool in
                if count < kept { first.append(FindPosition(row)) }
                count += 1
                return count < limit
            }
            switch source {
            case .stored(let known): try transaction.orderedRows(known.name, in: range, descending: false, add)
            case .readable(let readable): try readable.rows(in: range, descending: false, transaction, add)
            case .temporary(let rows):
                try rows.rows(in: range, descending: false) { row in
                    if count < kept { first.append(row) }
                    count += 1
                    return count < limit
                }
            }
        }
        return (count, first)
    }

    /// Whether there are documents without a key.
    func hasUnindexable(_ transaction: any ReadTransaction) throws(StorageError) -> Bool {
        if case .stored(let known) = source { return known.hasUnindexable }
        return try count([IndexRanges.unindexable], atMost: 1, transaction).count > 0
    }

    /// How many rows the index has, without what has changed since.
    func rowCount(_ transaction: any ReadTransaction) throws(StorageError) -> UInt64 {
        let index: String?
        switch source {
        case .stored(let known): index = known.name
        case .readable(let readable): index = readable.index
        case .temporary(let rows): return UInt64(rows.count)
        }
        return try index.flatMap { (name) throws(StorageError) in try transaction.indexState(name)?.rowCount } ?? 0
    }

    /// Passes the IDs of the documents of all rows within a range to `body`, in the order of the rows.
    func ids(
        in range: IndexRange,
        _ transaction: any ReadTransaction,
        _ body: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        let pass = { (row: borrowing IndexRowView) throws(StorageError) -> Bool in
            try row.withID { (id) throws(StorageError) in try body(id) }
            return true
        }
        switch source {
        case .stored(let known): try transaction.orderedRows(known.name, in: range, descending: false, pass)
        case .readable(let readable): try readable.rows(in: range, descending: false, transaction, pass)
        case .temporary(let rows):
            try rows.rows(in: range, descending: false) { (row) throws(StorageError) in
                try unsafe body(row.id.span.bytes)
                return true
            }
        }
    }

    /// Passes the rows within a range to `body`, until it returns false.
    func rows(
        in range: IndexRange,
        descending: Bool,
        _ transaction: any ReadTransaction,
        _ body: (FindPosition) -> Bool
    ) throws(StorageError) {
        switch source {
        case .stored(let known):
            try transaction.orderedRows(known.name, in: range, descending: descending) { body(FindPosition($0)) }
        case .readable(let readable):
            try readable.rows(in: range, descending: descending, transaction) { body(FindPosition($0)) }
        case .temporary(let rows): try rows.rows(in: range, descending: descending, body)
        }
    }
}

/// An index in the store that has seen everything that a state of the database shows.
struct CurrentIndex: Sendable {
    /// The name in the store.
    var name: String
    /// The version of its definition.
    var version: IndexVersion
    var hasUnindexable: Bool
}

extension FindPosition {
    /// The position of a row of an index.
    init(_ row: borrowing IndexRowView) {
        key = row.withKey { key in unsafe key.withUnsafeBytes { unsafe Array($0) } }
        id = row.withID { id in unsafe id.withUnsafeBytes { unsafe Array($0) } }
    }
}
