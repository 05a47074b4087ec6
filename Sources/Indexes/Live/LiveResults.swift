package import Dispatch
internal import SetteeEngine
internal import StorageProtocol

/// Passes the values of a source to a closure, until `remove` is called or it is released, and keeps the last one.
package final class LiveResults<Source: LiveSource>: Sendable {
    package let source: Source
    private let runner: LiveRunner<Source>
    private let mailbox: LatestResult<Source.Value>

    /// - Parameters:
    ///   - queue: where `body` runs, one call at a time; nil: on a queue of its own. It must be serial.
    ///   - body: gets the present value at once, each that differs, and the error of a look that failed.
    package init(
        _ source: Source,
        interval: Duration,
        queue: DispatchQueue?,
        _ body: @escaping @Sendable (Result<Source.Value, any Error>) -> Void
    ) {
        let mailbox = LatestResult(queue ?? DispatchQueue(label: "settee.live-query.listener"), body)
        self.source = source
        self.mailbox = mailbox
        runner = LiveRunner(source, interval: interval) { event in
            switch event {
            case .result(let result): mailbox.put(result)
            case .same(let value): mailbox.refresh(value)
            case .end: mailbox.close()
            }
        }
        runner.start()
    }

    /// The last value; nil before the first one and after a failure.
    package var latest: Source.Value? { mailbox.latest }

    /// Waits until there is a value, at most for `limit`.
    ///
    /// - Returns: the last value; nil if there was none in time, or the database was closed.
    /// - Throws: the error of the last look.
    package func wait(within limit: Duration) throws -> Source.Value? { try mailbox.wait(limit) }

    /// Ends the observation. A running call of the closure finishes, but no other call begins. A second `remove` does
    /// nothing.
    package func remove() {
        mailbox.remove()
        runner.stop()
    }

    deinit { remove() }
}

/// Keeps the last result and passes it to a closure. If the closure is slow, intermediate results are dropped.
private final class LatestResult<Value: Sendable & Equatable>: Sendable {
    private struct State {
        var latest: Result<Value, any Error>?
        /// Whether the closure has not yet received the last result.
        var isNew = false
        var isScheduled = false
        var isRemoved = false
        var isClosed = false
        var waiters: [DispatchSemaphore] = []
    }

    private let queue: DispatchQueue
    private let body: @Sendable (Result<Value, any Error>) -> Void
    private let state = Locked(State())

    init(_ queue: DispatchQueue, _ body: @escaping @Sendable (Result<Value, any Error>) -> Void) {
        self.queue = queue
        self.body = body
    }

    var latest: Value? { state.withLock { try? $0.latest?.get() } }

    func put(_ result: Result<Value, any Error>) {
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
    func refresh(_ value: Value) {
        state.withLock { state in
            if case .success(let latest) = state.latest, latest == value { state.latest = .success(value) }
        }
    }

    private func hand() {
        let result = state.withLock { state -> Result<Value, any Error>? in
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

    func wait(_ limit: Duration) throws -> Value? {
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
