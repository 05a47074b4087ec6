/// Is told which entries each commit of this process changes, before the commit can be seen.
protocol CommitObserver: AnyObject, Sendable {
    /// Whether there may be no other exclusive observer of the same files.
    var isExclusive: Bool { get }
    /// How many bytes of changed keys of one commit are worth telling. A commit that changes more is told with its cost
    /// and no keys.
    var limit: Int { get }

    /// Observation begins after the commit with this number.
    func begin(after version: UInt64)

    /// A commit is about to be made. Called on the thread of its transaction.
    ///
    /// - Parameters:
    ///   - version: the number that the commit gets.
    ///   - keys: the entries that were put or removed.
    ///   - cost: what the keys take in memory, in bytes.
    func willCommit(_ version: UInt64, _ keys: [LoggedKey], cost: Int)

    /// How the commit ended. Called before another write transaction begins.
    func didCommit(_ isDone: Bool)
}
