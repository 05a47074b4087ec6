/// Carries out what `POST /_replicate` orders.
///
/// The listener itself speaks to no other server. `settee serve` gives it the replicator of `SetteeReplicator`; an app
/// does so with a few lines (docs/guide/replication.md). All calls come from several tasks.
public protocol ListenerReplicator: Sendable {
    /// Makes a replication, which does nothing before its `run`. Must not block.
    ///
    /// - Throws: `StorageError` for an order that it cannot carry out.
    func replication(_ order: ReplicationOrder) throws -> any ListenerReplication

    /// Asks whether a source is there and takes the login. Called for `create_target`, so that no database is made for
    /// a source that cannot be read. By default it is made in any case.
    ///
    /// - Throws: As `run` of the replication.
    func check(_ source: ReplicationOrder.Remote) async throws
}

extension ListenerReplicator {
    public func check(_ source: ReplicationOrder.Remote) async throws {}
}

/// A replication that a client has ordered.
public protocol ListenerReplication: Sendable {
    /// Replicates, and returns when all is done that there was at the beginning; of a continuous order, or after
    /// `stop`, when it has stopped and its checkpoint is stored. Called once. A cancelled task stops it at once.
    ///
    /// - Throws: `StorageError`, whose message is answered: `notFound` (404) without the other database,
    ///   `unauthorized` (401) or `rejected` (403) if that refuses the login, others if it cannot go on.
    func run() async throws

    /// Has `run` return soon. Called at any time, also before `run`, and more than once.
    func stop() async

    /// What it has done so far. Must not block.
    var figures: ReplicationFigures { get }
}
