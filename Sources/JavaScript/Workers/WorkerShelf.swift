internal import StorageProtocol

/// The workers of a pool that are not lent. The thread that ends idle ones holds this and not the pool.
final class WorkerShelf: @unchecked Sendable {
    // Sendable because what changes is only accessed inside the monitor.
    private struct Idle {
        let worker: JavaScriptWorker
        let end: ContinuousClock.Instant
    }

    private let configuration: JavaScriptConfiguration
    /// Condition 0: there may be a worker. Condition 1: there may be something to end.
    private let monitor = Monitor(conditions: 2)
    /// Those that came last are at the end.
    private var idle: [Idle] = []
    private var begun = 0
    /// How many are lent to calls that are not urgent.
    private var lentToOthers = 0
    private var isClosed = false
    private var isWatched = false

    init(_ configuration: JavaScriptConfiguration) { self.configuration = configuration }

    var count: Int { monitor.locked { begun } }

    /// - Throws: `unavailable` once this is closed.
    func take(isUrgent: Bool) throws(JavaScriptError) -> JavaScriptWorker {
        try monitor.locked { () throws(JavaScriptError) in
            let most = max(1, configuration.workers)
            while !isClosed {
                if isUrgent || lentToOthers < most, let worker = lend(atMost: most + 1) {
                    if !isUrgent { lentToOthers += 1 }
                    return worker
                }
                monitor.wait(for: 0)
            }
            throw .unavailable("The pool of workers for functions of design documents is closed. Open it again.")
        }
    }

    private func lend(atMost most: Int) -> JavaScriptWorker? {
        if let last = idle.popLast() { return last.worker }
        guard begun < most else { return nil }
        begun += 1
        return JavaScriptWorker(configuration)
    }

    /// Returns whether a thread must begin that runs `endIdleWorkers`.
    func put(_ worker: JavaScriptWorker, isUrgent: Bool) -> Bool {
        monitor.locked {
            if !isUrgent { lentToOthers -= 1 }
            guard !isClosed else {
                begun -= 1
                return false
            }
            idle.append(Idle(worker: worker, end: .now + configuration.idleTime))
            // Not every call that waits may have it.
            monitor.broadcast(0)
            defer { isWatched = true }
            return !isWatched
        }
    }

    /// Ends workers whose time is over, until none is idle.
    func endIdleWorkers() {
        while let ended = nextEnded() { withExtendedLifetime(ended) {} }
    }

    /// Waits for workers to end. They are released outside the monitor, since that waits for their processes. Nil:
    /// there are no idle ones.
    private func nextEnded() -> [JavaScriptWorker]? {
        monitor.locked {
            let now = ContinuousClock.now
            // Those that are idle for the longest time come first.
            let count = idle.prefix { $0.end <= now }.count
            let ended = idle.prefix(count).map(\.worker)
            idle.removeFirst(count)
            begun -= count
            // Only the time is kept meanwhile: a reference would keep a worker's process from ending.
            if count == 0, let end = idle.first?.end { monitor.wait(for: 1, atMost: now.duration(to: end)) }
            guard ended.isEmpty, idle.isEmpty else { return ended }
            isWatched = false
            return nil
        }
    }

    func close() {
        let ended = monitor.locked {
            let ended = idle
            begun -= idle.count
            idle = []
            isClosed = true
            monitor.broadcast(0)
            monitor.broadcast(1)
            return ended
        }
        withExtendedLifetime(ended) {}
    }
}
