internal import StorageProtocol

/// Bounds the bytes of bodies that are in memory. Who waits is served in turn.
final class ByteBudget: Sendable {
    private struct State {
        var free: Int
        var waiters: [(bytes: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var isAborted = false
    }

    private let capacity: Int
    private let state: Locked<State>

    init(_ capacity: Int) {
        self.capacity = capacity
        state = Locked(State(free: capacity))
    }

    /// Takes bytes if they are free. A larger body than all takes all.
    func takeNow(_ bytes: Int) -> Bool {
        state.withLock { state in
            guard state.waiters.isEmpty, state.free >= min(bytes, capacity) else { return false }
            state.free -= min(bytes, capacity)
            return true
        }
    }

    /// Takes bytes when they are free.
    ///
    /// - Throws: `CancellationError` after `abort`.
    func take(_ bytes: Int) async throws {
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                if state.isAborted { return true }
                if state.waiters.isEmpty, state.free >= min(bytes, capacity) {
                    state.free -= min(bytes, capacity)
                    return true
                }
                state.waiters.append((min(bytes, capacity), continuation))
                return false
            }
            if goesOn { continuation.resume() }
        }
        if state.withLock({ $0.isAborted }) { throw CancellationError() }
    }

    func giveBack(_ bytes: Int) {
        let served = state.withLock { state in
            state.free += min(bytes, capacity)
            var served: [CheckedContinuation<Void, Never>] = []
            while let first = state.waiters.first, first.bytes <= state.free {
                state.free -= first.bytes
                served.append(first.continuation)
                state.waiters.removeFirst()
            }
            return served
        }
        for continuation in served { continuation.resume() }
    }

    func abort() {
        let waiters = state.withLock { state in
            state.isAborted = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume() }
    }
}
