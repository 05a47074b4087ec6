internal import StorageProtocol

/// The events of a browser on their way from Avahi's thread to the one that waits for them.
final class PeerFeed: Sendable {
    private struct State {
        var table = PeerTable()
        var failure: StorageError?
        var hasEnded = false
        var waiting: CheckedContinuation<BrowserEvent?, any Error>?

        /// What can be answered now; nil: it is to be waited for.
        mutating func answer() -> Result<BrowserEvent?, any Error>? {
            if let failure = failure.take() { return .failure(failure) }
            if hasEnded { return .success(nil) }
            return table.next().map { .success($0) }
        }
    }

    private let state = Locked(State())

    /// Waits for an event; nil: it has ended, or the task was cancelled.
    func next() async throws -> BrowserEvent? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = state.withLock { state in
                    let answer = state.answer()
                    if answer == nil { state.waiting = continuation }
                    return answer
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            change { $0.hasEnded = true }
        }
    }

    func receive(_ event: AvahiEvent) {
        change { state in
            switch event {
            case .started, .named: break
            case .found(let appearance): state.table.found(appearance)
            case .gone(let id): state.table.gone(id)
            case .daemonGone: state.table.clear()
            case .failed(let failure): state.failure = failure
            case .ended: state.hasEnded = true
            }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let (waiting, answer) = state.withLock { state in
            body(&state)
            guard let waiting = state.waiting, let answer = state.answer() else {
                return (nil, nil) as (CheckedContinuation<BrowserEvent?, any Error>?, Result<BrowserEvent?, any Error>?)
            }
            state.waiting = nil
            return (waiting, answer)
        }
        if let waiting, let answer { waiting.resume(with: answer) }
    }
}
