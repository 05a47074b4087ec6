package import SetteeEngine
package import StorageProtocol
internal import Synchronization

/// Signals cancellation of a task to the work on another thread that the task waits for.
package final class Cancellation: Sendable {
    private let flag = Atomic(false)

    package init() {}

    package var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// - Throws: `cancelled` (596) once the task was cancelled.
    package func check() throws(StorageError) {
        if isCancelled { throw StorageError(.cancelled, "The task was cancelled.") }
    }

    package func cancel() { flag.store(true, ordering: .relaxed) }

    /// Runs `body` off the caller's thread. `body` checks the cancellation from time to time.
    ///
    /// - Throws: what `body` throws; `CancellationError` at once if the task was cancelled, whatever `body` does.
    package static func run<R: Sendable>(
        in database: Database,
        _ body: @escaping @Sendable (Cancellation) throws -> R
    ) async throws -> R {
        try Task.checkCancellation()
        let cancellation = Cancellation()
        do {
            return try await withTaskCancellationHandler {
                try await database.async.perform(on: AsyncDatabase.readers, until: .never) { _ in
                    try body(cancellation)
                }
            } onCancel: {
                cancellation.cancel()
            }
        } catch let error as StorageError where error.code == .cancelled {
            throw CancellationError()
        }
    }
}
