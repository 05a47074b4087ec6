internal import StorageProtocol

/// Wakes who waits for a change of this computer's network. One for the process; it looks while somebody watches.
final class NetworkWatcher: Sendable {
    /// Looks until it is released.
    typealias Source = AnyObject & Sendable

    static let shared = NetworkWatcher { change in NetworkWatcher.systemSource(change) }

    private struct State {
        var count: UInt64 = 0
        var watches = 0
        var source: (any Source)?
        var last = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Locked(State())
    private let open: @Sendable (@escaping @Sendable () -> Void) -> (any Source)?

    /// - Parameter open: begins to look, and calls its argument after each change; nil if that is not possible.
    init(_ open: @escaping @Sendable (@escaping @Sendable () -> Void) -> (any Source)?) { self.open = open }

    /// Begins to look, if nobody has.
    func watch() -> NetworkWatch {
        state.withLock { state in
            state.watches += 1
            if state.source == nil { state.source = open { [weak self] in self?.changed() } }
        }
        return NetworkWatch(self)
    }

    /// Whether it looks.
    var isOpen: Bool { state.withLock { $0.source != nil } }

    fileprivate var count: UInt64 { state.withLock { $0.count } }

    fileprivate func end() {
        let unused = state.withLock { state -> (any Source)? in
            state.watches -= 1
            return state.watches == 0 ? state.source.take() : nil
        }
        withExtendedLifetime(unused) {}
    }

    fileprivate func wait(after count: UInt64) async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // A cancellation before this found nobody waiting.
                    if state.count != count || Task.isCancelled { return true }
                    state.waiters[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
        try Task.checkCancellation()
    }

    private func changed() {
        let waiters = state.withLock { state in
            state.count &+= 1
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }
}

/// Keeps the watcher looking until it is released.
final class NetworkWatch: Sendable {
    private let watcher: NetworkWatcher
    private let seen: Locked<UInt64>

    fileprivate init(_ watcher: NetworkWatcher) {
        self.watcher = watcher
        seen = Locked(watcher.count)
    }

    deinit { watcher.end() }

    /// Returns when the network has changed since this watch began, or since the last call.
    ///
    /// - Throws: `CancellationError`.
    func change() async throws { try await watcher.wait(after: seen.withLock { $0 }) }

    /// Changes up to now are known.
    func take() { seen.withLock { $0 = watcher.count } }
}
