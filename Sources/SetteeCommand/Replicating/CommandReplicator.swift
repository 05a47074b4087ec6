#if Sync
internal import Settee
internal import SetteeEngine
internal import SetteeListener
internal import SetteeReplicator
internal import StorageProtocol

/// Carries out what clients of `settee serve` order with `POST /_replicate`.
struct CommandReplicator: ListenerReplicator {
    func replication(_ order: ReplicationOrder) throws -> any ListenerReplication {
        var configuration: ReplicatorConfiguration
        switch (order.source, order.target) {
        case (.database(let source, _), .database(let target, _)):
            try source.requireNothingLost()
            configuration = ReplicatorConfiguration(database: source, target: .database(target))
            configuration.direction = .push
        case (.database(let source, _), .remote(let remote)):
            try source.requireNothingLost()
            configuration = ReplicatorConfiguration(database: source, target: .url(remote.url))
            configuration.direction = .push
            CommandReplicator.add(remote, to: &configuration)
        case (.remote(let remote), .database(let target, _)):
            configuration = ReplicatorConfiguration(database: target, target: .url(remote.url))
            configuration.direction = .pull
            CommandReplicator.add(remote, to: &configuration)
            if let filter = order.filter { configuration.pull.remoteFilter = RemoteFilter(filter, order.parameters) }
        case (.remote, .remote):
            throw StorageError(.badParameter, "One of the two must be a database here.")
        }
        if let filter = order.sourceFilter {
            configuration.push.filter = try .function(
                version: "\(order.filter ?? "") \(filter.version)",
                filter.function,
                with: order.parameters
            )
        }
        configuration.validation = order.targetValidation
        configuration.isContinuous = order.isContinuous
        configuration.createsTarget = order.createsTarget
        configuration.documentIDs = order.documentIDs
        configuration.selector = order.selector
        return CommandReplication(configuration)
    }

    func check(_ source: ReplicationOrder.Remote) async throws {
        var endpoint = try RemoteEndpoint(source.url)
        for (name, value) in source.headers { endpoint.headers[name] = value }
        do throws(ReplicationError) {
            try await endpoint.checkAccess(source.user.map { .basic($0, source.password ?? "") })
        } catch {
            throw StorageError(error)
        }
    }

    private static func add(_ remote: ReplicationOrder.Remote, to configuration: inout ReplicatorConfiguration) {
        if let user = remote.user { configuration.authenticator = .basic(user, remote.password ?? "") }
        for (name, value) in remote.headers { configuration.headers[name] = value }
    }
}
#endif
