public import Dispatch
internal import StorageProtocol

extension Database {
    /// The default number of changes that wait for a slow observer.
    public static let defaultChangeBuffer = 10_000

    /// Follows the changes live: each once, after its commit, in the order of sequences. Changes of other processes are
    /// included within a second; local documents are not. To list past changes once, use `changes(since:)`.
    ///
    /// If a sequence is given, the changes after it that the store holds come first, each document once as in
    /// `changes(since:)`, and purges as long as the store remembers them. The changes to come follow without a gap.
    ///
    /// - Parameters:
    ///   - sequence: the last sequence that the caller knows, 0 for none; nil: now. Inside `read`, now is the state
    ///     that is read.
    ///   - buffer: how many changes wait for a slow iterator, at least 1. If there are more, they are dropped, and one
    ///     `missed` says from which sequence to read again. Writers never wait. A single commit with more changes than
    ///     this is missed, too. Changes from the store are read as they are consumed and need no buffer.
    /// - Returns: a sequence that never throws; it ends when the database is closed.
    public func changes(
        following sequence: UInt64? = nil,
        buffer: Int = Database.defaultChangeBuffer
    ) -> ChangeStream {
        let feed = changeFeed
        return ChangeStream { feed.subscribe(following: sequence, limit: buffer) }
    }

    /// Calls `body` with each change from now on, or after a sequence: those of `changes(following:buffer:)`.
    ///
    /// `body` runs after the commit, outside every lock, one call at a time. It may read and write the database; it
    /// gets its own changes later, in order.
    ///
    /// - Parameters:
    ///   - sequence: the last sequence that the caller knows; nil: now.
    ///   - buffer: how many changes wait for a slow `body`, at least 1.
    ///   - queue: where `body` runs; nil: on a queue of its own. It must be serial.
    /// - Returns: the listener. Observation ends when it is released.
    public func addChangeListener(
        following sequence: UInt64? = nil,
        buffer: Int = Database.defaultChangeBuffer,
        queue: DispatchQueue? = nil,
        _ body: @escaping @Sendable (DatabaseChange) -> Void
    ) -> ChangeListener {
        ChangeListener(changeFeed.subscribe(following: sequence, limit: buffer), queue: queue, body)
    }

    /// The last committed sequence, and the last one that the snapshot of the calling thread shows, if it has one.
    func committedSequences() throws(StorageError) -> (store: UInt64, snapshot: UInt64?) {
        let generation = try enter()
        defer { leave(generation) }
        let store = try generation.engine.read { (transaction) throws(StorageError) in
            try transaction.counters().lastSequence
        }
        guard case .snapshot(let transaction, _) = ThreadContext.current.activity(on: self) else { return (store, nil) }
        // Inside a transaction the snapshot shows sequences that may yet be rolled back.
        return (store, min(store, try transaction.counters().lastSequence))
    }
}
