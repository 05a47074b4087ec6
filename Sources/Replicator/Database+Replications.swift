public import Foundation
public import SetteeEngine

/// The names of Couchbase Lite.
extension Database {
    /// A replicator that pulls from the database at a URL. It begins with `start` or `run`.
    public func createPullReplication(_ url: String) -> Replicator { replicator(.url(url), .pull) }

    /// The same for a `URL`.
    public func createPullReplication(_ url: URL) -> Replicator { replicator(.url(url), .pull) }

    /// A replicator that pushes to the database at a URL. It begins with `start` or `run`.
    public func createPushReplication(_ url: String) -> Replicator { replicator(.url(url), .push) }

    /// The same for a `URL`.
    public func createPushReplication(_ url: URL) -> Replicator { replicator(.url(url), .push) }

    private func replicator(_ target: ReplicatorTarget, _ direction: ReplicationDirection) -> Replicator {
        var configuration = ReplicatorConfiguration(database: self, target: target)
        configuration.direction = direction
        return Replicator(configuration)
    }
}
