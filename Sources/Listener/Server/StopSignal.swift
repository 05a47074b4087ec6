internal import StorageProtocol
internal import Synchronization

/// Tells handlers that run for long that the server stops, so that feeds end with their last sequence.
///
/// Set once, and never taken back.
final class StopSignal: Sendable {
    private struct State {
        var lastID = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Locked(State())
    /// Set under the lock, so that nobody begins to wait after those who wait were told. Read without it, for every
    /// request.
    private let isSet = Atomic(false)

    /// Whether the server stops.
    var isStopping: Bool { isSet.load(ordering: .acquiring) }

    /// Returns when the server stops or the task is cancelled; at once if it has.
    func whenStopping() async {
        let id = state.withLock {
            $0.lastID += 1
            return $0.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock {
                    if isStopping || Task.isCancelled { return true }
                    $0.waiting[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }

    /// Tells everybody who waits, and who asks from now on.
    func stop() {
        let waiting = state.withLock { state in
            isSet.store(true, ordering: .releasing)
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }
}
