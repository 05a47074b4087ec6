internal import NIOPosix
internal import SetteeCouchProtocol
internal import Synchronization

/// Threads for calls of the database, which block: none runs on an event loop or on a thread of Swift's own pool.
///
/// At most `waiting` requests wait for their first call. One more is refused at once, so that a server that cannot keep
/// up says so. The calls of an answer that has begun wait, however many there are: each connection has one at most, and
/// a commit that wakes thousands of feeds cuts none.
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

    /// Runs `work` on one of the threads, if not too many requests wait.
    ///
    /// - Throws: `service_unavailable` (503) if they do, or after `stop`; what `work` throws.
    func admit<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        defer { pending.subtract(1, ordering: .relaxed) }
        guard pending.add(1, ordering: .relaxed).newValue <= limit else {
            metrics.refused(.calls)
            throw CouchError.unavailable
        }
        return try await run(work)
    }

    /// Runs `work` on one of the threads, in its turn.
    ///
    /// - Throws: `service_unavailable` (503) after `stop`; what `work` throws.
    func run<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
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
