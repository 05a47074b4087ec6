internal import CoreMetrics
internal import Synchronization

/// Counts the feeds that wait for changes, up to a limit.
final class FeedCount: Sendable {
    private let count = Atomic<Int>(0)
    private let limit: Int
    private let metrics: ListenerMetrics

    init(limit: Int, metrics: ListenerMetrics) {
        self.limit = limit
        self.metrics = metrics
    }

    /// Returns false if there are too many.
    func begin() -> Bool {
        guard count.add(1, ordering: .relaxed).newValue <= limit else {
            count.subtract(1, ordering: .relaxed)
            metrics.refused(.feeds)
            return false
        }
        metrics.feeds.increment()
        return true
    }

    var present: Int { count.load(ordering: .relaxed) }

    func end() {
        count.subtract(1, ordering: .relaxed)
        metrics.feeds.decrement()
    }
}
