public import StorageProtocol

/// The rows of a listing such as `Database.changes(since:limit:descending:includeDocs:)`, read on demand.
///
/// Inside `read` or a transaction all rows are of one state. Elsewhere they come in batches, each from one state, so
/// that a slow consumer does not keep an old state alive. A document that changes during the listing appears in its old
/// or its new state, or (in a listing of changes) a second time.
public struct RowListing: Sendable {
    private let database: Database
    private let makeSource: @Sendable () throws(StorageError) -> any RowSource

    init(_ database: Database, _ makeSource: @escaping @Sendable () throws(StorageError) -> any RowSource) {
        self.database = database
        self.makeSource = makeSource
    }

    /// Passes every row to `body`, which may use the database. Stops if it throws.
    ///
    /// - Throws: what `body` throws; `badParameter` (495) for a negative `limit` or `skip`, `notOpen` (503), `corrupt`
    ///   (591).
    public func forEach(_ body: (DocumentRow) throws -> Void) throws {
        try makeSource().forEach(in: database, body)
    }

    /// Returns all rows at once, in memory.
    public func rows() throws(StorageError) -> [DocumentRow] {
        var rows: [DocumentRow] = []
        do {
            try forEach { rows.append($0) }
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(.unexpected, "The listing failed.", cause: error)
        }
        return rows
    }

    /// The rows as an asynchronous sequence that reads off the caller's thread, outside its transactions, 256 rows at a
    /// time. If the task is cancelled, it ends with `CancellationError`.
    public func stream() -> RowStream { RowStream(database, makeSource) }
}

/// The rows of a listing as an asynchronous sequence, batch by batch.
public struct RowStream: AsyncSequence, Sendable {
    public typealias Element = DocumentRow

    private let database: Database
    private let makeSource: @Sendable () throws(StorageError) -> any RowSource

    init(_ database: Database, _ makeSource: @escaping @Sendable () throws(StorageError) -> any RowSource) {
        self.database = database
        self.makeSource = makeSource
    }

    public func makeAsyncIterator() -> Iterator { Iterator(database, makeSource) }

    /// Reads a batch when the one before is used up, after checking for cancellation. Throws as `RowListing.forEach`.
    public struct Iterator: AsyncIteratorProtocol {
        private let database: Database
        private let makeSource: @Sendable () throws(StorageError) -> any RowSource
        private var source: (any RowSource)?
        private var rows: ArraySlice<DocumentRow> = []

        init(_ database: Database, _ makeSource: @escaping @Sendable () throws(StorageError) -> any RowSource) {
            self.database = database
            self.makeSource = makeSource
        }

        public mutating func next() async throws -> DocumentRow? {
            if let row = rows.popFirst() { return row }
            try Task.checkCancellation()
            let present = try source ?? makeSource()
            let (page, next) = try await database.async.run { database in
                var source = present
                var listing = database.trace.map { ListingTrace($0, source.order) }
                defer { listing?.end() }
                let page = try database.withReadTransaction { (transaction) throws(StorageError) in
                    try source.page(transaction, of: database, maximum: 256)
                }
                listing?.add(page)
                return (page, source)
            }
            source = next
            rows = page[...]
            return rows.popFirst()
        }
    }
}

extension Database {
    /// The documents of a query, in the order of their IDs' bytes. Nothing is read yet.
    package func allDocuments(_ query: DocumentQuery = DocumentQuery()) -> RowListing {
        RowListing(self) { () throws(StorageError) in try DocumentSource(query) }
    }

    /// Lists what changed after a sequence, up to now, in the order of sequences: each document once, under its latest
    /// one, including tombstones. Purges have no row. Nothing is read yet.
    ///
    /// This lists and ends. `changes(following:buffer:)` continues with the changes to come.
    ///
    /// - Parameters:
    ///   - sequence: only changes with a higher one; 0: all.
    ///   - limit: the highest number of rows; nil: all. A negative number is `badParameter` (495).
    ///   - descending: whether the order is from the latest change to the first.
    ///   - includeDocs: whether rows contain the body.
    ///   - includeLeaves: whether rows contain all leaves, not only the current revision. Bodies are not read for it.
    public func changes(
        since sequence: UInt64,
        limit: Int? = nil,
        descending: Bool = false,
        includeDocs: Bool = false,
        includeLeaves: Bool = false
    ) -> RowListing {
        let query = ChangesQuery(
            since: sequence,
            limit: limit,
            descending: descending,
            includeBodies: includeDocs,
            includeLeaves: includeLeaves
        )
        return RowListing(self) { () throws(StorageError) in try ChangeSource(query) }
    }
}
