internal import StorageProtocol

/// What one write transaction has changed, for the log of a rewrite that is under way. Stays on the transaction's thread.
final class CommitNotes {
    private let log: WriteLog
    private var keys: [LoggedKey] = []
    private var cost = 0

    init(_ log: WriteLog) { self.log = log }

    /// An entry was put or removed.
    func note(_ entry: LoggedKey) {
        cost &+= entry.cost
        // It is too much for the log then, which is told at the commit.
        guard cost <= log.limit else { return keys.removeAll() }
        keys.append(entry)
    }

    /// Must come before anybody can see what is committed.
    ///
    /// - Parameter version: the one that the commit makes.
    func willCommit(_ version: UInt64) {
        // A commit that changed nothing makes no version.
        if cost > 0 { log.willCommit(version, keys, cost: cost) }
    }

    /// Must come before another write transaction begins. A commit that has failed ends the rewrite: what a later one of
    /// another process does could not be told from it.
    func didCommit(_ isDone: Bool) { log.didCommit(isDone) }
}
