public import Dispatch
internal import SetteeIndexes

/// A query whose result is kept up to date: a sequence that returns the result at once, and again whenever it has
/// changed.
///
/// ```swift
/// for try await result in db.view("byAuthor").query(limit: 20).live() { show(result) }
/// ```
///
/// Commits of other processes count, too, within a second. A result is returned only if it differs from the previous
/// one, as `QueryResult` compares them. While much is written, results come at most every `interval`, and at the latest
/// that long after a commit, plus the time that the query takes. A slow consumer misses intermediate results, but never
/// the last one.
///
/// If the query throws, the sequence throws and ends. It also ends when the database is closed. Nothing continues after
/// the iterator is released.
public struct LiveQuery: AsyncSequence, Sendable {
    public typealias Element = QueryResult

    /// The default time between two results.
    public static let defaultInterval = Duration.milliseconds(200)

    private let query: DatabaseQuery
    private let interval: Duration

    init(_ query: DatabaseQuery, interval: Duration) {
        self.query = query
        self.interval = interval
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(LiveIterator(LiveQuerySource(query: query), interval: interval))
    }

    /// Waits for each next result. Cancelling the task ends it.
    public struct Iterator: AsyncIteratorProtocol {
        private var results: LiveIterator<LiveQuerySource>

        init(_ results: LiveIterator<LiveQuerySource>) { self.results = results }

        public mutating func next() async throws -> QueryResult? { try await results.next() }
    }

    /// Calls `body` with the result at once and whenever it has changed. If the query fails, `body` gets the error, and
    /// the query runs again after the next commit.
    ///
    /// - Parameters:
    ///   - queue: where `body` runs, one call at a time; nil: on a queue of its own. It must be serial.
    /// - Returns: the listener. Observation ends when it is released.
    public func addListener(
        queue: DispatchQueue? = nil,
        _ body: @escaping @Sendable (Result<QueryResult, any Error>) -> Void
    ) -> LiveQueryListener {
        LiveQueryListener(query, interval: interval, queue: queue, body)
    }
}

extension DatabaseQuery {
    /// The result of the query, kept up to date.
    ///
    /// - Parameter interval: the least time between two results; zero: none.
    public func live(interval: Duration = LiveQuery.defaultInterval) -> LiveQuery {
        LiveQuery(self, interval: interval)
    }
}
