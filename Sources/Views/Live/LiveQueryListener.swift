internal import Dispatch
internal import SetteeEngine
internal import StorageProtocol

/// Calls a closure with the results of a query until `remove` is called or the listener is released: keep a reference
/// to it for as long as the closure is to be called.
public final class LiveQueryListener: Sendable {
    private let runner: LiveQueryRunner
    private let mailbox: LatestResult

    init(
        _ query: DatabaseQuery,
        interval: Duration,
        queue: DispatchQueue?,
        _ body: @escaping @Sendable (Result<QueryResult, any Error>) -> Void
    ) {
        let mailbox = LatestResult(queue ?? DispatchQueue(label: "settee.live-query.listener"), body)
        self.mailbox = mailbox
        runner = LiveQueryRunner(query, interval: interval) { event in
            switch event {
            case .result(let result): mailbox.put(result)
            case .same(let result): mailbox.refresh(result)
            case .end: mailbox.close()
            }
        }
        runner.start()
    }

    /// The last result; nil before the first one and after a failure.
    public var rows: QueryResult? { mailbox.latest }

    /// Waits until there is a result, at most for `limit`.
    ///
    /// - Returns: the last result; nil if there was none in time, or the database was closed.
    /// - Throws: the error of the query.
    public func waitForRows(within limit: Duration = .seconds(60)) throws -> QueryResult? {
        try mailbox.wait(limit)
    }

    /// Ends the listener. A running call finishes, but no other call begins. A second `remove` does nothing.
    public func remove() {
        mailbox.remove()
        runner.stop()
    }

    deinit { remove() }
}

/// Keeps the last result and passes it to a closure. If the closure is slow, intermediate results are dropped.
private final class LatestResult: Sendable {
    private struct State {
        var latest: Result<QueryResult, any Error>?
        /// Whether the closure has not yet received the last result.
        var isNew = false
        var isScheduled = false
        var isRemoved = false
        var isClosed = false
        var waiters: [DispatchSemaphore] = []
    }

    private let queue: DispatchQueue
    private let body: @Sendable (Result<QueryResult, any Error>) -> Void
    private let state = Locked(State())

    init(_ queue: DispatchQueue, _ body: @escaping @Sendable (Result<QueryResult, any Error>) -> Void) {
        self.queue = queue
        self.body = body
    }

    var latest: QueryResult? { state.withLock { try? $0.latest?.get() } }

    func put(_ result: Result<QueryResult, any Error>) {
        let mustSchedule = state.withLock { state in
            state.latest = result
            state.isNew = true
            state.waiters.forEach { $0.signal() }
            state.waiters = []
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { queue.async { self.hand() } }
    }

    /// Replaces the last result by an equal one, without calling the closure.
    func refresh(_ result: QueryResult) {
        state.withLock { state in
            if case .success(let latest) = state.latest, latest == result { state.latest = .success(result) }
        }
    }

    private func hand() {
        let result = state.withLock { state -> Result<QueryResult, any Error>? in
            state.isScheduled = false
            guard state.isNew, !state.isRemoved else { return nil }
            state.isNew = false
            return state.latest
        }
        if let result { body(result) }
    }

    func remove() { state.withLock { $0.isRemoved = true } }

    func close() {
        state.withLock { state in
            state.isClosed = true
            state.waiters.forEach { $0.signal() }
            state.waiters = []
        }
    }

    func wait(_ limit: Duration) throws -> QueryResult? {
        let semaphore = DispatchSemaphore(value: 0)
        let mustWait = state.withLock { state in
            guard state.latest == nil, !state.isClosed else { return false }
            state.waiters.append(semaphore)
            return true
        }
        if mustWait { _ = semaphore.wait(timeout: .now() + .nanoseconds(Int(limit.nanoseconds))) }
        return try state.withLock { $0.latest }?.get()
    }
}
