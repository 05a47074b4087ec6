public import Dispatch
internal import StorageProtocol

extension Database {
    /// How many changes wait for a slow observer unless it asks for another number.
    public static let defaultChangeBuffer = 10_000

    /// Follows the changes, live: each once, after its commit, in the order of sequences; those of other processes too,
    /// within a second. Local documents are not among them. To list what changed, and be done, ask `changes(since:)`.
    ///
    /// With a sequence comes first what the store holds after it, each document once as in `changes(since:)`, and
    /// purges as long as the store remembers them; then the changes to come, without a gap.
    ///
    /// - Parameters:
    ///   - sequence: where the caller's knowledge ends, 0: at the beginning; nil: now. Inside `read`, now is the state
    ///     that is read.
    ///   - buffer: how many changes wait for a slow iterator, at least 1. Where there would be more, they are dropped,
    ///     and one `missed` says from which sequence to read anew. Writers never wait. One commit with more changes
    ///     than this is missed too. What comes from the store is read as it is taken and needs none.
    /// - Returns: a sequence that never fails; it ends when the database is closed.
    public func changes(
        following sequence: UInt64? = nil,
        buffer: Int = Database.defaultChangeBuffer
    ) -> ChangeStream {
        let feed = changeFeed
        return ChangeStream { feed.subscribe(following: sequence, limit: buffer) }
    }

    /// Calls `body` with each change from now on, or following a sequence: what `changes(following:buffer:)` gives.
    ///
    /// `body` runs after the commit, outside every lock, one call at a time. It may read and write the database; its
    /// own changes come to it later, in order.
    ///
    /// - Parameters:
    ///   - sequence: where the caller's knowledge ends; nil: now.
    ///   - buffer: how many changes wait for a slow `body`, at least 1.
    ///   - queue: where `body` runs; nil: on a queue of its own. It must be serial.
    /// - Returns: the listener, which ends when it goes away.
    public func addChangeListener(
        following sequence: UInt64? = nil,
        buffer: Int = Database.defaultChangeBuffer,
        queue: DispatchQueue? = nil,
        _ body: @escaping @Sendable (DatabaseChange) -> Void
    ) -> ChangeListener {
        ChangeListener(changeFeed.subscribe(following: sequence, limit: buffer), queue: queue, body)
    }

    /// The last sequence that is committed, and the last one that the calling thread's snapshot shows, where it has
    /// one.
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
