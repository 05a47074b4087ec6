internal import NIOPosix
internal import SetteeCouchProtocol
internal import Synchronization

/// Threads for calls of the database, which block: none runs on an event loop or on a thread of Swift's own pool.
///
/// At most `waiting` calls wait. One more is refused at once, so that a server that cannot keep up says so.
final class BlockingThreads: Sendable {
    private let pool: NIOThreadPool
    private let pending = Atomic<Int>(0)
    private let limit: Int
    private let metrics: ListenerMetrics

    init(threads: Int, waiting: Int, metrics: ListenerMetrics) {
        self.metrics = metrics
        pool = NIOThreadPool(numberOfThreads: threads)
        limit = threads + waiting
        pool.start()
    }

    /// Runs `work` on one of the threads.
    ///
    /// - Throws: `service_unavailable` (503) if too many calls wait, or after `stop`; what `work` throws.
    func run<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        guard pending.add(1, ordering: .relaxed).newValue <= limit else {
            pending.subtract(1, ordering: .relaxed)
            metrics.refused(.calls)
            throw CouchError.unavailable
        }
        defer { pending.subtract(1, ordering: .relaxed) }
        do {
            return try await pool.runIfActive(work)
        } catch is NIOThreadPoolError.ThreadPoolInactive {
            throw CouchError.unavailable
        } catch is CancellationError {
            throw CouchError.unavailable
        }
    }

    func stop() async { try? await pool.shutdownGracefully() }
}
