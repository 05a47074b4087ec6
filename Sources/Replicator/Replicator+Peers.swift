internal import SetteeEngine

extension Replicator {
    /// Makes the target's side of a replication.
    static func targetPeer(of configuration: ReplicatorConfiguration) throws -> any Peer {
        switch configuration.target {
        case .database(let database):
            guard database !== configuration.database else {
                throw ReplicationError(.badConfiguration, "A database is not replicated with itself.")
            }
            return LocalPeer(database, validation: configuration.validation)
        case .url(let url):
            var endpoint = try RemoteEndpoint(url)
            endpoint.trust = configuration.trust
            endpoint.headers = configuration.headers
            endpoint.allowsInsecureLogin = configuration.allowsInsecureLogin
            return try RemotePeer(endpoint, authenticator: configuration.authenticator)
        }
    }
}

extension RemoteEndpoint {
    /// Asks whether the database is there and takes the login, before one is made here for what it has.
    ///
    /// - Throws: `ReplicationError`.
    package func checkAccess(_ authenticator: Authenticator?) async throws(ReplicationError) {
        do {
            _ = try await RemotePeer(self, authenticator: authenticator).information()
        } catch {
            throw ReplicationError(error)
        }
    }
}

extension RemotePeer: CreatablePeer {}
