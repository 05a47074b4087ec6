internal import Foundation

/// Workers for several threads, begun when they are needed and ended when they have had nothing to do for a time.
///
/// ```swift
/// let pool = JavaScriptPool(JavaScriptConfiguration())
/// let rows = try pool.withWorker { worker throws(JavaScriptError) in try worker.map([function], documents) }
/// ```
package final class JavaScriptPool: Sendable {
    private let shelf: WorkerShelf
    package let configuration: JavaScriptConfiguration

    package init(_ configuration: JavaScriptConfiguration = JavaScriptConfiguration()) {
        self.configuration = configuration
        shelf = WorkerShelf(configuration)
    }

    deinit { shelf.close() }

    /// Lends a worker to `body`, and waits for one if all are lent.
    ///
    /// - Parameter isUrgent: others may wait for the caller. For such calls there is one worker more than the
    ///   configuration says, so that they need not wait for map functions.
    /// - Throws: `unavailable` once the pool is closed; what `body` throws.
    package func withWorker<R>(
        isUrgent: Bool = false,
        _ body: (JavaScriptWorker) throws(JavaScriptError) -> R
    ) throws(JavaScriptError) -> R {
        let worker = try shelf.take(isUrgent: isUrgent)
        defer {
            if shelf.put(worker, isUrgent: isUrgent) { Thread.detachNewThread { [shelf] in shelf.endIdleWorkers() } }
        }
        return try body(worker)
    }

    /// How many workers there are, lent ones included.
    package var count: Int { shelf.count }

    /// Ends the workers: those that are lent when they come back. Further calls throw.
    package func close() { shelf.close() }
}
