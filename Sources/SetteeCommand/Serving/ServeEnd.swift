#if Sync
internal import Settee
internal import SetteeListener
internal import StorageProtocol

/// The end of `settee serve` by an interrupt, at whatever moment it comes.
final class ServeEnd: Sendable {
    private struct State {
        var isRequested = false
        var listener: Listener?
    }

    private let state = Locked(State())

    var isRequested: Bool { state.withLock { $0.isRequested } }

    /// Ends the listener, or the one that is to come.
    func request() {
        let listener = state.withLock { state in
            state.isRequested = true
            return state.listener
        }
        if let listener { Task { await listener.stop() } }
    }

    /// Names the listener to be ended.
    ///
    /// - Returns: False if the end was requested already, so that there is nothing to start.
    func begins(_ listener: Listener) -> Bool {
        state.withLock { state in
            state.listener = listener
            return !state.isRequested
        }
    }
}
#endif
