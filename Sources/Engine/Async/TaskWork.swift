internal import StorageProtocol

/// Work on another thread for which a task waits, and may stop waiting.
final class TaskWork<Value: Sendable>: Sendable {
    let gate: TaskGate
    /// The waiting task; nil before, and once it has the outcome.
    private let continuation = Locked<CheckedContinuation<Value, any Error>?>(nil)

    init(until end: TaskGate.End) { gate = TaskGate(until: end) }

    /// Passes the outcome to `continuation`.
    ///
    /// - Returns: whether there is anything to do: the task may already be cancelled.
    func wait(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        self.continuation.withLock { $0 = continuation }
        guard gate.isClosed else { return true }
        tell(.failure(CancellationError()))
        return false
    }

    /// Does the work, unless the task stopped waiting.
    func run(_ body: () throws -> Value) {
        guard gate.begin() else { return }
        let outcome = Result { try ThreadContext.current.with(gate, body) }
        if case .failure(let error as StorageError) = outcome, error.code == .cancelled, gate.isCancelled {
            return tell(.failure(CancellationError()))
        }
        tell(outcome)
    }

    /// The task was cancelled.
    func cancel() {
        if gate.cancel() { tell(.failure(CancellationError())) }
    }

    private func tell(_ outcome: Result<Value, any Error>) {
        continuation.withLock { $0.take() }?.resume(with: outcome)
    }
}
