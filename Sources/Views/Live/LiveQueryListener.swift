internal import Dispatch
internal import SetteeEngine
internal import SetteeIndexes

/// Calls a closure with the results of a query until `remove` is called or the listener is released: keep a reference
/// to it for as long as the closure is to be called.
public final class LiveQueryListener: Sendable {
    private let results: LiveResults<LiveQuerySource>

    init(
        _ query: DatabaseQuery,
        interval: Duration,
        queue: DispatchQueue?,
        _ body: @escaping @Sendable (Result<QueryResult, any Error>) -> Void
    ) {
        results = LiveResults(LiveQuerySource(query: query), interval: interval, queue: queue, body)
    }

    /// The last result; nil before the first one and after a failure.
    public var rows: QueryResult? { results.latest }

    /// Waits until there is a result, at most for `limit`.
    ///
    /// - Returns: the last result; nil if there was none in time, or the database was closed.
    /// - Throws: the error of the query.
    public func waitForRows(within limit: Duration = .seconds(60)) throws -> QueryResult? {
        try results.wait(within: limit)
    }

    /// Ends the listener. A running call finishes, but no other call begins. A second `remove` does nothing.
    public func remove() { results.remove() }
}
