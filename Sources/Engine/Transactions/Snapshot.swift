public import StorageProtocol

/// One consistent state of a database, inside `Database.read`. Used after its closure has returned, it throws `notOpen`
/// (503).
public final class Snapshot {
    let database: Database
    private let transaction: any ReadTransaction
    private var ended = false

    init(_ transaction: any ReadTransaction, of database: Database) {
        self.database = database
        self.transaction = transaction
    }

    func end() { ended = true }

    func live() throws(StorageError) -> any ReadTransaction {
        guard !ended else {
            throw StorageError(
                .notOpen,
                "The snapshot has ended. Use it only inside the `read` closure it was given to."
            )
        }
        return transaction
    }

    /// The number of documents whose current revision is not a tombstone. Complexity: O(log n).
    public var documentCount: UInt64 { get throws(StorageError) { try live().counters().liveDocuments } }
    /// The highest sequence ever used. Complexity: O(log n).
    public var lastSequence: UInt64 { get throws(StorageError) { try live().counters().lastSequence } }

    /// Returns the current revision of `id`, which may be a tombstone; nil if there is none.
    ///
    /// - Throws: `badID` (494) if the ID is not allowed.
    public func revision(of id: some DocumentIDConvertible) throws(StorageError) -> SavedRevision? {
        let id = try DocumentID(id.documentIDText)
        let began = database.trace?.now
        let found = try database.revision(of: id, in: live())
        if let trace = database.trace, let began { trace.got(id, size: found?.json.count, began: began) }
        return found
    }

    /// Passes the current body of a live document to `body`, as canonical JSON, without copying it if the engine can
    /// lend it.
    ///
    /// - Returns: false if the document is missing or deleted.
    /// - Throws: what `body` throws; `badID` (494) if the ID is not allowed.
    public func withJSON(
        of id: some DocumentIDConvertible,
        _ body: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        let id = try DocumentID(id.documentIDText)
        guard let trace = database.trace else { return try lendJSON(of: id, body) }
        let began = trace.now
        var size: Int?
        let isLive = try lendJSON(of: id) { (json) throws(StorageError) in
            size = json.byteCount
            try body(json)
        }
        trace.got(id, size: size, began: began)
        return isLive
    }

    private func lendJSON(
        of id: DocumentID,
        _ body: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        if id.isLocal {
            return try live().localDocument(id) { (_, json) throws(StorageError) in try body(json) }
        }
        var isLive = false
        _ = try live().record(id, fields: .body) { (record) throws(StorageError) in
            guard !record.flags.contains(.deleted) else { return }
            isLive = true
            try record.withBody(body)
        }
        return isLive
    }

    /// Returns a copy of the current body of a live document, as canonical JSON; nil if it is missing or deleted.
    public func json(of id: some DocumentIDConvertible) throws(StorageError) -> [UInt8]? {
        var json: [UInt8]?
        _ = try withJSON(of: id) { (bytes) throws(StorageError) in
            json = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        }
        return json
    }

    /// Lends documents to `body` as the engine holds them, without copying: the fastest scan. Arguments of `body` are
    /// valid only inside it; it may read from the database but not write. To list documents use
    /// `Database.allDocumentsQuery`, also inside `read`, where its rows are of this state.
    ///
    /// - Parameter body: returns false to stop.
    /// - Throws: what `body` throws; `badParameter` (495) for a negative `limit` or `skip`.
    public func forEachDocument(
        _ query: DocumentQuery = DocumentQuery(),
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        guard query.keys == nil, query.skip >= 0, (query.limit ?? 0) >= 0 else {
            throw StorageError(.badParameter, "A scan takes no `keys`, and neither `limit` nor `skip` may be negative.")
        }
        var skip = query.skip
        var remaining = query.limit ?? Int.max
        guard remaining > 0 else { return }
        let began = database.trace?.now
        var rows = 0
        var size: Int? = query.includeBodies ? 0 : nil
        defer {
            if let trace = database.trace, let began {
                trace.listed(rows: rows, size: size, descending: query.descending, began: began)
            }
        }
        try live().orderedRecords(
            in: DocumentSource.range(query),
            descending: query.descending,
            fields: DocumentSource.fields(query)
        ) { (record) throws(StorageError) in
            guard DocumentSource.matches(query, record.flags) else { return true }
            if skip > 0 {
                skip -= 1
                return true
            }
            remaining -= 1
            if began != nil {
                rows += 1
                size? += record.withBody { $0.byteCount }
            }
            return try body(record) && remaining > 0
        }
    }
}
