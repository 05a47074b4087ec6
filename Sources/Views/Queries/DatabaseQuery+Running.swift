public import SetteeEngine
public import SetteeIndexes
internal import StorageProtocol

extension DatabaseQuery {
    /// Passes every row to `body`, which may use the database. Stops if it throws.
    ///
    /// - Throws: what `body`, the post filter or a reduce function throws; `notFound` (404) if there is no such view,
    ///   or no map function to update its index with; `superseded` (412) if another program has set another version of
    ///   it; `conflict` (409) if the index was rebuilt during the query; `badParameter` (495) for options out of their
    ///   range.
    public func forEach(_ body: (QueryRow) throws -> Void) throws {
        var cursor = try QueryCursor(self)
        while true {
            let rows = try cursor.next()
            if rows.isEmpty { return }
            for row in rows { try body(row) }
        }
    }

    /// Returns the first row; nil if there is none.
    ///
    /// - Throws: as `forEach`.
    public func first() throws -> QueryRow? {
        var one = self
        one.limit = min(1, limit ?? 1)
        var cursor = try QueryCursor(one)
        return try cursor.next().first
    }

    /// Returns all rows, in memory.
    ///
    /// - Throws: as `forEach`.
    public func run() throws -> QueryResult { try run(nil) }

    /// - Parameters:
    ///   - cancellation: ends the query after the current batch, or the current part of an index update.
    ///   - leavesUpdate: whether `update: .after` starts an update afterwards.
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

    /// Like `run`, off the caller's thread and outside its transactions. If the task is cancelled, the call ends with
    /// `CancellationError` at once; the current batch, or the current part of an index update, is finished in the
    /// background.
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

    /// The rows as an asynchronous sequence that reads off the caller's thread, batch by batch. If the task is
    /// cancelled, it ends with `CancellationError`.
    public func stream() -> QueryStream<QueryRow> { QueryStream(of: database) { try QueryCursor(self) } }
}

extension AsyncDatabase {
    /// Like `Database.updateIndexes(of:)`. If the task is cancelled, the call ends with `CancellationError` at once;
    /// the current part of the documents is finished, and what was done is kept.
    public func updateIndexes(of names: [String]) async throws {
        let database = self.database
        try await Cancellation.run(in: database) { cancellation in
            try database.updateIndexes(of: names, cancellation: cancellation)
        }
    }

    /// Like `DatabaseView.updateIndex`.
    public func updateIndex(of name: String) async throws { try await updateIndexes(of: [name]) }
}

extension QueryCursor: RowCursor {
    package mutating func nextBatch(_ cancellation: Cancellation) throws -> [QueryRow] { try next(cancellation) }
}
