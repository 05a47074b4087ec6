internal import StorageProtocol

/// Rows page by page. Each page is read from one snapshot and consistent in itself; the next one continues after its
/// last row.
protocol RowSource: Sendable {
    /// Returns the next rows, at most `maximum`; none at the end, and then always none.
    mutating func page(
        _ transaction: any ReadTransaction,
        of database: Database,
        maximum: Int
    ) throws(StorageError) -> [DocumentRow]

    var order: RowSourceOrder { get }
}

/// What a trace says of a listing.
struct RowSourceOrder {
    var isBySequence: Bool
    var descending: Bool
    var includesBodies: Bool
}

extension RowSource {
    /// The number of rows of a page.
    static var pageSize: Int { 256 }

    /// Passes all rows to `body`, page by page. It runs outside the closures of the store, so that it may read and
    /// write.
    func forEach(in database: Database, _ body: (DocumentRow) throws -> Void) throws {
        var source = self
        var listing = database.trace.map { ListingTrace($0, order) }
        defer { listing?.end() }
        while true {
            listing?.begin()
            let rows = try database.withReadTransaction { (transaction) throws(StorageError) in
                try source.page(transaction, of: database, maximum: Self.pageSize)
            }
            listing?.add(rows)
            if rows.isEmpty { return }
            for row in rows { try body(row) }
        }
    }
}

/// The documents of a `DocumentQuery`.
struct DocumentSource: RowSource {
    private let query: DocumentQuery
    private var range: ByteRange
    private var keys: ArraySlice<DocumentID>?
    private var skip: Int
    private var remaining: Int
    private var ended = false

    init(_ query: DocumentQuery) throws(StorageError) {
        guard query.skip >= 0, (query.limit ?? 0) >= 0 else {
            throw StorageError(.badParameter, "`limit` and `skip` must not be negative.")
        }
        self.query = query
        skip = query.skip
        remaining = query.limit ?? Int.max
        range = DocumentSource.range(query)
        if let texts = query.keys {
            var ids: [DocumentID] = []
            for text in texts {
                // Text that is not a valid ID has no document.
                if let id = try? DocumentID(text) { ids.append(id) }
            }
            ids = Array(Set(ids)).sorted()
            keys = query.descending ? ArraySlice(ids.reversed()) : ArraySlice(ids)
        }
    }

    var order: RowSourceOrder {
        RowSourceOrder(isBySequence: false, descending: query.descending, includesBodies: query.includeBodies)
    }

    static func range(_ query: DocumentQuery) -> ByteRange {
        let start = bound(query.startKey, inclusive: query.inclusiveStart)
        let end = bound(query.endKey, inclusive: query.inclusiveEnd)
        return query.descending ? ByteRange(lower: end, upper: start) : ByteRange(lower: start, upper: end)
    }

    private static func bound(_ key: String?, inclusive: Bool) -> ByteRange.Bound {
        guard let key else { return .open }
        return inclusive ? .including(Array(key.utf8)) : .excluding(Array(key.utf8))
    }

    static func fields(_ query: DocumentQuery) -> RecordFields {
        query.includeBodies ? [.winner, .body] : [.winner]
    }

    static func matches(_ query: DocumentQuery, _ flags: DocumentFlags) -> Bool {
        if flags.contains(.deleted), !query.includeDeleted { return false }
        return !query.onlyConflicts || flags.contains(.conflicted)
    }

    mutating func page(
        _ transaction: any ReadTransaction,
        of database: Database,
        maximum: Int
    ) throws(StorageError) -> [DocumentRow] {
        guard !ended, remaining > 0 else { return [] }
        var rows: [DocumentRow] = []
        if keys != nil {
            try keyedPage(transaction, database, maximum, into: &rows)
        } else {
            try rangePage(transaction, database, maximum, into: &rows)
        }
        remaining -= rows.count
        return rows
    }

    private mutating func rangePage(
        _ transaction: any ReadTransaction,
        _ database: Database,
        _ maximum: Int,
        into rows: inout [DocumentRow]
    ) throws(StorageError) {
        let wanted = min(maximum, remaining)
        var found: [DocumentRow] = []
        var skipped = skip
        let query = self.query
        try transaction.orderedRecords(in: range, descending: query.descending, fields: DocumentSource.fields(query)) {
            (record) throws(StorageError) in
            guard DocumentSource.matches(query, record.flags) else { return true }
            if skipped > 0 {
                skipped -= 1
                return true
            }
            found.append(try DocumentRow(record, of: database, withBody: query.includeBodies))
            return found.count < wanted
        }
        skip = skipped
        if found.count < wanted { ended = true }
        if let last = found.last {
            let resume = ByteRange.Bound.excluding(Array(last.documentID.string.utf8))
            if query.descending { range.upper = resume } else { range.lower = resume }
        }
        rows = found
    }

    private mutating func keyedPage(
        _ transaction: any ReadTransaction,
        _ database: Database,
        _ maximum: Int,
        into rows: inout [DocumentRow]
    ) throws(StorageError) {
        let wanted = min(maximum, remaining)
        let query = self.query
        while rows.count < wanted, var rest = keys, !rest.isEmpty {
            let most = DocumentSource.keysAtOnce
            let ids = Array(rest.prefix(skip >= most ? most : min(most, wanted - rows.count + skip)))
            var found: [(place: Int, row: DocumentRow)] = []
            found.reserveCapacity(ids.count)
            try transaction.records(ids: ids, fields: DocumentSource.fields(query)) {
                (place, record) throws(StorageError) in
                guard DocumentSource.matches(query, record.flags) else { return true }
                let row = try DocumentRow(record, id: ids[place], of: database, withBody: query.includeBodies)
                found.append((place, row))
                return true
            }
            // The store has an order of its own.
            if zip(found, found.dropFirst()).contains(where: { $0.place > $1.place }) {
                found.sort { $0.place < $1.place }
            }
            var used = ids.count
            for (place, row) in found {
                if skip > 0 {
                    skip -= 1
                    continue
                }
                rows.append(row)
                if rows.count == wanted {
                    used = place + 1
                    break
                }
            }
            rest = rest.dropFirst(used)
            keys = rest
        }
        if keys?.isEmpty ?? true { ended = true }
    }

    /// The number of rows of a page, so that usually everything that is read is used.
    private static let keysAtOnce = 256
}

/// The changes of a `ChangesQuery`.
struct ChangeSource: RowSource {
    private let query: ChangesQuery
    private var lower: UInt64
    private var upper = UInt64(Int64.max)
    private var remaining: Int
    private(set) var ended = false

    init(_ query: ChangesQuery) throws(StorageError) {
        guard (query.limit ?? 0) >= 0 else { throw StorageError(.badParameter, "`limit` must not be negative.") }
        self.query = query
        remaining = query.limit ?? Int.max
        if let through = query.through { upper = min(upper, through) }
        ended = query.since >= upper
        lower = ended ? upper : query.since + 1
    }

    var order: RowSourceOrder {
        RowSourceOrder(isBySequence: true, descending: query.descending, includesBodies: query.includeBodies)
    }

    mutating func page(
        _ transaction: any ReadTransaction,
        of database: Database,
        maximum: Int
    ) throws(StorageError) -> [DocumentRow] {
        guard !ended, remaining > 0 else { return [] }
        let wanted = min(maximum, remaining)
        var found: [DocumentRow] = []
        var bytes = 0
        let query = self.query
        try transaction.orderedRecords(sequences: lower...upper, descending: query.descending, fields: query.fields) {
            (record) throws(StorageError) in
            let row = try DocumentRow(
                record,
                of: database,
                withBody: query.includeBodies,
                withLeaves: query.includeLeaves
            )
            found.append(row)
            bytes += row.json?.count ?? 0
            return found.count < wanted && bytes < query.bytesOfPage
        }
        if found.count < wanted, bytes < query.bytesOfPage { ended = true }
        if let last = found.last {
            if query.descending {
                ended = ended || last.sequence <= lower
                upper = max(lower, last.sequence - 1)
            } else {
                ended = ended || last.sequence >= upper
                lower = min(upper, last.sequence + 1)
            }
        }
        remaining -= found.count
        return found
    }
}
