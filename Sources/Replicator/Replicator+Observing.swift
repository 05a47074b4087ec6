extension Replicator {
    /// What it does now.
    public var status: ReplicatorStatus { monitor.status }

    /// The present status and each new one. A reader that is slow gets the newest ones.
    public func statuses() -> AsyncStream<ReplicatorStatus> { monitor.statuses.stream(keeping: 16, from: status) }

    /// What becomes of each document from now on. Of what waits for a slow reader the newest 10,000 are kept.
    public func documentEvents() -> AsyncStream<ReplicatedDocument> { monitor.documents.stream(keeping: 10_000) }

    /// Calls `body` with each new status, on any thread, until the listener is released.
    public func addStatusListener(_ body: @escaping @Sendable (ReplicatorStatus) -> Void) -> ReplicatorListener {
        let observers = monitor.statuses
        let number = observers.add(body)
        return ReplicatorListener { observers.remove(number) }
    }

    /// Calls `body` with each document that was passed on or refused, on any thread, until the listener is released.
    /// The replication waits meanwhile.
    public func addDocumentListener(_ body: @escaping @Sendable (ReplicatedDocument) -> Void) -> ReplicatorListener {
        let observers = monitor.documents
        let number = observers.add(body)
        return ReplicatorListener { observers.remove(number) }
    }
}
