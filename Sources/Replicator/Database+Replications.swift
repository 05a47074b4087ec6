public import SetteeEngine

/// The names of Couchbase Lite.
extension Database {
    /// A replicator that pulls from the database at a URL. It begins with `start` or `run`.
    public func createPullReplication(_ url: String) -> Replicator { replicator(url, .pull) }

    /// A replicator that pushes to the database at a URL. It begins with `start` or `run`.
    public func createPushReplication(_ url: String) -> Replicator { replicator(url, .push) }

    private func replicator(_ url: String, _ direction: ReplicationDirection) -> Replicator {
        var configuration = ReplicatorConfiguration(database: self, target: .url(url))
        configuration.direction = direction
        return Replicator(configuration)
    }
}
