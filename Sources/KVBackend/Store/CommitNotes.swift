internal import StorageProtocol

/// Records what one write transaction has changed, for the logs of rewrites and copies that are in progress. Stays on
/// the transaction's thread.
final class CommitNotes {
    private let observers: [any CommitObserver]
    /// The highest limit of these logs.
    private let limit: Int
    private var keys: [LoggedKey] = []
    private var cost = 0

    init(_ observers: [any CommitObserver]) {
        self.observers = observers
        limit = observers.reduce(0) { max($0, $1.limit) }
    }

    /// Called when an entry was put or removed.
    func note(_ entry: LoggedKey) {
        cost &+= entry.cost
        // This exceeds the limit of every log. They are informed at the commit.
        guard cost <= limit else { return keys.removeAll() }
        keys.append(entry)
    }

    /// Must be called before the commit becomes visible.
    ///
    /// - Parameter version: The version that the commit makes.
    func willCommit(_ version: UInt64) {
        // A commit that changed nothing makes no version.
        guard cost > 0 else { return }
        for observer in observers { observer.willCommit(version, keys, cost: cost) }
    }

    /// Must be called before another write transaction begins. A failed commit ends the rewrite, because it could not
    /// be told from a later commit by another process.
    func didCommit(_ isDone: Bool) {
        for observer in observers { observer.didCommit(isDone) }
    }
}
