internal import StorageProtocol

/// Work on another thread that a task waits for, and may give up waiting for.
final class TaskWork<Value: Sendable>: Sendable {
    let gate: TaskGate
    /// Who waits; nil before, and once the outcome is told.
    private let continuation = Locked<CheckedContinuation<Value, any Error>?>(nil)

    init(until end: TaskGate.End) { gate = TaskGate(until: end) }

    /// Has `continuation` be told of the outcome.
    ///
    /// - Returns: whether anything is to be done: the task may have been cancelled already.
    func wait(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        self.continuation.withLock { $0 = continuation }
        guard gate.isClosed else { return true }
        tell(.failure(CancellationError()))
        return false
    }

    /// Does the work, unless it was given up.
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
