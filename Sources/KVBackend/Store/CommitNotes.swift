internal import StorageProtocol

/// What one write transaction has changed, for the observers of commits. Stays on the transaction's thread.
final class CommitNotes {
    private let observers: [any CommitObserver]
    /// The highest limit of an observer.
    private let limit: Int
    private var keys: [LoggedKey] = []
    private var cost = 0

    init(_ observers: [any CommitObserver]) {
        self.observers = observers
        limit = observers.reduce(0) { max($0, $1.limit) }
    }

    /// An entry was put or removed.
    func note(_ entry: LoggedKey) {
        cost &+= entry.cost
        // It is too much for every observer, which is told so at the commit.
        guard cost <= limit else { return keys.removeAll() }
        keys.append(entry)
    }

    /// Must come before anybody can see what is committed.
    ///
    /// - Parameter version: the one that the commit makes.
    func willCommit(_ version: UInt64) {
        // A commit that changed nothing makes no version.
        guard cost > 0 else { return }
        for observer in observers { observer.willCommit(version, keys, cost: cost) }
    }

    /// Must come before another write transaction begins. A commit that has failed ends the rewrite: what a later one
    /// of another process does could not be told from it.
    func didCommit(_ isDone: Bool) {
        for observer in observers { observer.didCommit(isDone) }
    }
}
