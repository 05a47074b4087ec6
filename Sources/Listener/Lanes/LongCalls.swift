internal import SetteeCouchProtocol
internal import StorageProtocol

/// Calls of one kind that may take a thread for long: only some of the threads are for them, so that the others are
/// there for everything else. What comes beyond waits in a queue of its own.
final class LongCalls: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Bool, Never>] = []
        var isStopped = false
    }

    private let threads: BlockingThreads
    private let state: Locked<State>

    /// - Parameter most: How many of the threads may be taken at a time.
    init(_ threads: BlockingThreads, most: Int) {
        self.threads = threads
        state = Locked(State(free: most))
    }

    /// Runs `work` on one of the threads, in its turn. Any number of calls may wait: the answer may have begun, and
    /// each connection has one at most.
    ///
    /// - Throws: `service_unavailable` (503) after `stop`; what `work` throws.
    func run<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        guard await begin() else { throw CouchError.unavailable }
        defer { end() }
        return try await threads.run(work)
    }

    /// Refuses those that wait, and all that come.
    func stop() {
        let waiting = state.withLock { state in
            state.isStopped = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for call in waiting { call.resume(returning: false) }
    }

    private func begin() async -> Bool {
        await withCheckedContinuation { continuation in
            let begins = state.withLock { state -> Bool? in
                if state.isStopped { return false }
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return nil
            }
            if let begins { continuation.resume(returning: begins) }
        }
    }

    private func end() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume(returning: true)
    }
}
