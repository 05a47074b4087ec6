internal import Synchronization

/// Counts the feeds that wait for changes, up to a limit.
final class FeedCount: Sendable {
    private let count = Atomic<Int>(0)
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Returns false if there are too many.
    func begin() -> Bool {
        guard count.add(1, ordering: .relaxed).newValue <= limit else {
            end()
            return false
        }
        return true
    }

    var present: Int { count.load(ordering: .relaxed) }

    func end() { count.subtract(1, ordering: .relaxed) }
}
