internal import StorageProtocol

/// A request with its body, on its way from the connection to the task that answers it.
struct PendingRequest: Sendable {
    let request: ListenerRequest
    let body: BodyReader
}

/// Hands the requests of a connection to its task, one at a time: the next is not parsed before the answer is written.
final class RequestQueue: Sendable {
    private enum State {
        case empty
        case waiting(CheckedContinuation<PendingRequest?, Never>)
        case full(PendingRequest)
        case finished
    }

    private let state = Locked(State.empty)

    /// Adds a request. The one before has been taken.
    func push(_ exchange: PendingRequest) {
        let continuation: CheckedContinuation<PendingRequest?, Never>? = state.withLock {
            switch $0 {
            case .waiting(let continuation):
                $0 = .empty
                return continuation
            case .empty, .full:
                $0 = .full(exchange)
                return nil
            case .finished: return nil
            }
        }
        continuation?.resume(returning: exchange)
    }

    /// The next request; nil once the connection takes no more.
    func next() async -> PendingRequest? {
        await withCheckedContinuation { continuation in
            let (isReady, exchange): (Bool, PendingRequest?) = state.withLock {
                switch $0 {
                case .full(let exchange):
                    $0 = .empty
                    return (true, exchange)
                case .empty, .waiting:
                    $0 = .waiting(continuation)
                    return (false, nil)
                case .finished: return (true, nil)
                }
            }
            if isReady { continuation.resume(returning: exchange) }
        }
    }

    /// Ends the connection's task when it has done what it does.
    func finish() {
        let continuation: CheckedContinuation<PendingRequest?, Never>? = state.withLock { state in
            defer { state = .finished }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(returning: nil)
    }
}
