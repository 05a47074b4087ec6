internal import SetteeEngine
internal import SetteeExpressions
public import SetteeIndexes
public import StorageProtocol

extension FindQuery {
    /// Returns all rows, of one state of the database, in memory.
    ///
    /// - Throws: `badRequest` (400) for a regular expression that takes too long or too much work for a document;
    ///   `badParameter` (495) for negative numbers, or if all documents would have to be read and `allowsFullScan` is
    ///   false; `tooLarge` (413) for a string that is too long for a regular expression; `notOpen` (503).
    public func run() throws(StorageError) -> [FindRow] { try run(nil) }

    func run(_ cancellation: Cancellation?) throws(StorageError) -> [FindRow] {
        var cursor = try FindCursor(self)
        return try cursor.next(cancellation, atMost: Int.max)
    }

    /// Returns the first row; nil if there is none.
    ///
    /// - Throws: as `run`.
    public func first() throws(StorageError) -> FindRow? {
        var one = self
        one.limit = min(1, limit ?? 1)
        return try one.run().first
    }

    /// Returns how many rows `run` would return. No row is made.
    ///
    /// - Throws: as `run`.
    public func count() throws(StorageError) -> Int { try count(nil) }

    /// Like `count`, off the caller's thread and outside its transactions. If the task is cancelled, the call ends with
    /// `CancellationError` at once.
    public func countAsync() async throws -> Int {
        try await Cancellation.run(in: database) { cancellation in try count(cancellation) }
    }

    private func count(_ cancellation: Cancellation?) throws(StorageError) -> Int {
        _ = try sortPaths()
        var unordered = self
        unordered.sort = []
        var cursor = try FindCursor(unordered)
        return try cursor.count(cancellation)
    }

    /// Passes every row to `body`, which may use the database. Stops if it throws.
    ///
    /// Rows that need not be sorted are read in batches, each from one state of the database, so that a slow `body`
    /// keeps no old state alive. Inside `Database.read` and transactions they are of that state.
    ///
    /// - Throws: as `run`, and what `body` throws; `conflict` (409) if the index was removed or changed between two
    ///   batches.
    public func forEach(_ body: (FindRow) throws -> Void) throws {
        var cursor = try FindCursor(self)
        while true {
            let rows = try cursor.next()
            if rows.isEmpty { return }
            for row in rows { try body(row) }
        }
    }

    /// Like `run`, off the caller's thread and outside its transactions. If the task is cancelled, the call ends with
    /// `CancellationError` at once.
    public func runAsync() async throws -> [FindRow] {
        try await Cancellation.run(in: database) { cancellation in try run(cancellation) }
    }

    /// The rows as an asynchronous sequence that reads off the caller's thread, batch by batch, like `forEach`. If the
    /// task is cancelled, it ends with `CancellationError`.
    public func stream() -> QueryStream<FindRow> { QueryStream(of: database) { try FindCursor(self) } }

    // MARK: - Plans

    func sortPaths() throws(StorageError) -> [(path: FieldPath, descending: Bool)] {
        try sort.map { (order) throws(StorageError) in (try FieldPath(mango: order.field), order.descending) }
    }
}

extension FindCursor: RowCursor {
    package mutating func nextBatch(_ cancellation: Cancellation) throws -> [FindRow] { try next(cancellation) }
}
