public import SetteeEngine
internal import StorageProtocol

extension DatabaseQuery {
    /// Hands every row to `body`, which may use the database; stops when it throws.
    ///
    /// - Throws: what `body`, the post filter or a reduce function throws; `notFound` (404) where there is no such
    ///   view, or no map function to bring its index up to date with; `superseded` (412) where another program has set
    ///   another version of it; `conflict` (409) where the index was built anew meanwhile; `badParameter` (495) for
    ///   options out of their range.
    public func forEach(_ body: (QueryRow) throws -> Void) throws {
        var cursor = try QueryCursor(self)
        while true {
            let rows = try cursor.next()
            if rows.isEmpty { return }
            for row in rows { try body(row) }
        }
    }

    /// The first row, nil where there is none.
    ///
    /// - Throws: as `forEach`.
    public func first() throws -> QueryRow? {
        var one = self
        one.limit = min(1, limit ?? 1)
        var cursor = try QueryCursor(one)
        return try cursor.next().first
    }

    /// All rows, in memory.
    ///
    /// - Throws: as `forEach`.
    public func run() throws -> QueryResult { try run(nil) }

    /// - Parameters:
    ///   - cancellation: ends it after the batch or the part of an index that is being worked on.
    ///   - leavesUpdate: whether `update: .after` leaves an update behind.
    func run(_ cancellation: Cancellation?, leavesUpdate: Bool = true) throws -> QueryResult {
        let mark = try QueryMark(self)
        var cursor = try QueryCursor(self, needsSequences: true, leavesUpdate: leavesUpdate)
        var all: [QueryRow] = []
        while true {
            let rows = try cursor.next(cancellation)
            if rows.isEmpty { break }
            all += rows
        }
        return QueryResult(all, of: self, mark)
    }

    /// As `run`, off the caller's thread and outside its transactions. Cancelling the task ends it with
    /// `CancellationError` at once; the batch or the part of an index that is being worked on is finished behind its
    /// back.
    public func runAsync() async throws -> QueryResult {
        var all: [QueryRow] = []
        let mark = try await Cancellation.run(in: database) { _ in try QueryMark(self) }
        var cursor = try QueryCursor(self, needsSequences: true)
        while true {
            let present = cursor
            let (rows, next) = try await Cancellation.run(in: database) { cancellation in
                var cursor = present
                return (try cursor.next(cancellation), cursor)
            }
            cursor = next
            if rows.isEmpty { return QueryResult(all, of: self, mark) }
            all += rows
        }
    }

    /// The rows as an asynchronous sequence, read off the caller's thread, batch by batch. Cancelling the task ends it
    /// with `CancellationError`.
    public func stream() -> QueryStream { QueryStream(self) }
}

extension AsyncDatabase {
    /// As `Database.updateIndexes(of:)`. Cancelling the task ends it with `CancellationError` at once; the present
    /// part of the documents is finished, and what was done stays.
    public func updateIndexes(of names: [String]) async throws {
        let database = self.database
        try await Cancellation.run(in: database) { cancellation in
            try database.updateIndexes(of: names, cancellation: cancellation)
        }
    }

    /// As `DatabaseView.updateIndex`.
    public func updateIndex(of name: String) async throws { try await updateIndexes(of: [name]) }
}
