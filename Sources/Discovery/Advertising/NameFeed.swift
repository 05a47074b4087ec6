internal import StorageProtocol

/// The names of an advertisement on their way from Avahi's thread.
final class NameFeed: Sendable {
    private struct State {
        var name: String?
        var failure: (any Error)?
        var waiting: CheckedContinuation<Void, any Error>?

        /// Whether the first name is known; nil: it is to be waited for.
        var answer: Result<Void, any Error>? { name == nil ? failure.map { .failure($0) } : .success(()) }
    }

    let names: AsyncStream<String>
    private let output: AsyncStream<String>.Continuation
    private let state = Locked(State())

    init() { (names, output) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// The latest name; empty before the first.
    var name: String { state.withLock { $0.name ?? "" } }

    func waitForName() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = state.withLock { state in
                    if state.answer == nil { state.waiting = continuation }
                    return state.answer
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            fail(CancellationError())
        }
    }

    func receive(_ event: AvahiEvent) {
        switch event {
        case .started, .found, .gone, .daemonGone: break
        case .named(let name):
            change { $0.name = name }
            output.yield(name)
        case .failed(let failure): fail(failure)
        case .ended: end()
        }
    }

    func end() {
        fail(CancellationError())
        output.finish()
    }

    private func fail(_ error: any Error) {
        change { state in
            if state.failure == nil { state.failure = error }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let (waiting, answer) = state.withLock { state in
            body(&state)
            return (state.answer == nil ? nil : state.waiting.take(), state.answer)
        }
        if let waiting, let answer { waiting.resume(with: answer) }
    }
}
