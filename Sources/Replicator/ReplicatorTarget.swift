public import Foundation
public import SetteeEngine

/// The side of a replication that may be elsewhere.
public enum ReplicatorTarget: Sendable {
    /// Another database of this process.
    case database(Database)
    /// The URL of a database that is served over CouchDB's HTTP API, such as `https://example.com/orders`.
    case url(String)

    /// The same as text.
    public static func url(_ url: URL) -> ReplicatorTarget { .url(url.absoluteString) }
}

/// Which way documents go.
public enum ReplicationDirection: Sendable, Equatable {
    case pushAndPull
    /// From the configured database to the target.
    case push
    /// From the target to the configured database.
    case pull
}
