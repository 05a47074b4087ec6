public import Dispatch
internal import SetteeIndexes

/// A query whose rows are kept up to date: a sequence that returns them at once, and again whenever they have changed.
///
/// ```swift
/// let newest = try db.find(["type": "invoice"], sort: [.descending("date")], limit: 20)
/// for try await rows in newest.live() { show(rows) }
/// ```
///
/// Commits of other processes count, too, within a second. Rows are returned only if they differ from the previous
/// ones, as `FindRow` compares them. While much is written, they come at most every `interval`, and at the latest that
/// long after a commit, plus the time that the query takes. A slow consumer misses intermediate rows, but never the
/// last ones.
///
/// The query runs again only after commits that can change its rows. Where a limit is reached and no order is asked
/// for, the rows stay as long as all of them match.
///
/// If the query throws, the sequence throws and ends. It also ends when the database is closed. Nothing continues after
/// the iterator is released.
public struct LiveFind: AsyncSequence, Sendable {
    public typealias Element = [FindRow]

    /// The default time between two results.
    public static let defaultInterval = Duration.milliseconds(200)

    private let query: FindQuery
    private let interval: Duration

    init(_ query: FindQuery, interval: Duration) {
        self.query = query
        self.interval = interval
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(LiveIterator(LiveFindSource(query), interval: interval))
    }

    /// Waits for each next result. Cancelling the task ends it.
    public struct Iterator: AsyncIteratorProtocol {
        private var results: LiveIterator<LiveFindSource>

        init(_ results: LiveIterator<LiveFindSource>) { self.results = results }

        public mutating func next() async throws -> [FindRow]? { try await results.next() }
    }

    /// Calls `body` with the rows at once and whenever they have changed. If the query fails, `body` gets the error,
    /// and the query runs again after the next commit.
    ///
    /// - Parameters:
    ///   - queue: where `body` runs, one call at a time; nil: on a queue of its own. It must be serial.
    /// - Returns: the listener. Observation ends when it is released.
    public func addListener(
        queue: DispatchQueue? = nil,
        _ body: @escaping @Sendable (Result<[FindRow], any Error>) -> Void
    ) -> LiveFindListener {
        LiveFindListener(query, interval: interval, queue: queue, body)
    }
}

extension FindQuery {
    /// The rows of the query, kept up to date.
    ///
    /// - Parameter interval: the least time between two results; zero: none.
    public func live(interval: Duration = LiveFind.defaultInterval) -> LiveFind { LiveFind(self, interval: interval) }
}

/// Calls a closure with the rows of a query until `remove` is called or the listener is released: keep a reference to
/// it for as long as the closure is to be called.
public final class LiveFindListener: Sendable {
    private let results: LiveResults<LiveFindSource>

    init(
        _ query: FindQuery,
        interval: Duration,
        queue: DispatchQueue?,
        _ body: @escaping @Sendable (Result<[FindRow], any Error>) -> Void
    ) {
        results = LiveResults(LiveFindSource(query), interval: interval, queue: queue, body)
    }

    /// The last rows; nil before the first ones and after a failure.
    public var rows: [FindRow]? { results.latest }

    /// Waits until there are rows, at most for `limit`.
    ///
    /// - Returns: the last rows; nil if there were none in time, or the database was closed.
    /// - Throws: the error of the query.
    public func waitForRows(within limit: Duration = .seconds(60)) throws -> [FindRow]? {
        try results.wait(within: limit)
    }

    /// Ends the listener. A running call finishes, but no other call begins. A second `remove` does nothing.
    public func remove() { results.remove() }

    /// How often the query has run, and how many changed documents were checked so that it did not have to.
    package var statistics: LiveFindStatistics { results.source.statistics }
}
