internal import Crypto
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The IDs under which the checkpoints of one direction of a replication are, without `_local/`.
struct CheckpointNames: Sendable, Equatable {
    /// Where they are written.
    let id: String
    /// Where the originals of copied databases wrote theirs.
    let earlier: [String]
    /// Whether they tell the sides apart. Two folders of which one was copied by hand have the same IDs, so that the
    /// way back would have the same checkpoints, with sequences of the other side.
    let tellSidesApart: Bool

    var all: [String] { tellSidesApart ? [id] + earlier : [] }

    /// - Parameter peer: The other side. A pull that uses one of its filter functions asks it which version that has.
    /// - Throws: `PeerError` if a database cannot be read; `badParameter` (495) for what is no URL of a database.
    init(
        _ configuration: ReplicatorConfiguration,
        _ direction: ReplicatedDocument.Direction,
        _ peer: any Peer
    ) async throws {
        var version: String?
        if direction == .pull, let filter = configuration.pull.remoteFilter {
            version = try await (peer as? any FilteringPeer)?.filterVersion(filter.name)
        }
        try await self.init(configuration, direction, remoteFilterVersion: version)
    }

    /// - Throws: as the other.
    init(
        _ configuration: ReplicatorConfiguration,
        _ direction: ReplicatedDocument.Direction,
        remoteFilterVersion: String? = nil
    ) async throws {
        let locals = try await CheckpointNames.uuids(of: configuration.database)
        let remotes: [String]
        if let uuid = configuration.remoteUUID {
            remotes = [uuid]
        } else {
            switch configuration.target {
            case .database(let database): remotes = try await CheckpointNames.uuids(of: database)
            case .url(let url): remotes = [try RemoteEndpoint(url).description]
            }
        }
        var choice = CheckpointNames.choice(configuration, direction)
        if let remoteFilterVersion { choice["filterVersion"] = .string(remoteFilterVersion) }
        tellSidesApart = remotes[0] != locals[0]
        var ids: [String] = []
        for remote in remotes {
            // The first one names what is kept beside the checkpoints, too.
            for local in locals where remote != local || ids.isEmpty {
                var members = choice
                members["local"] = .string(local)
                members["remote"] = .string(remote)
                ids.append(try CheckpointNames.hash(members))
            }
        }
        id = ids[0]
        earlier = Array(ids.dropFirst())
    }

    /// The private UUID of a database, and those of its originals.
    private static func uuids(of database: Database) async throws -> [String] {
        try await LocalPeer(database).read { database in
            [try database.privateUUID] + (try database.originalPrivateUUIDs)
        }
    }

    /// What decides which documents are passed on.
    private static func choice(
        _ configuration: ReplicatorConfiguration,
        _ direction: ReplicatedDocument.Direction
    ) -> JSONObject {
        var members: JSONObject = ["direction": .string(direction.rawValue), "version": 1]
        if let ids = configuration.documentIDs {
            members["docIDs"] = .array(sorted(ids).map { JSONValue.string($0) })
        }
        if let selector = configuration.selector { members["selector"] = .object(selector) }
        switch direction {
        case .push:
            switch configuration.push.filter {
            case nil: break
            case .named(let name, let parameters):
                members["filter"] = .string(name)
                members["filterVersion"] = JSONValue(configuration.database.filter(named: name)?.version)
                members["parameters"] = .object(parameters)
            case .function(let version, _):
                members["filter"] = ""
                members["filterVersion"] = .string(version)
            }
        case .pull:
            if !configuration.pull.channels.isEmpty {
                members["channels"] = .array(sorted(configuration.pull.channels).map { JSONValue.string($0) })
            }
            if let filter = configuration.pull.remoteFilter {
                members["filter"] = .string(filter.name)
                members["parameters"] = .object(filter.parameters)
            }
        }
        return members
    }

    private static func sorted(_ texts: [String]) -> [String] {
        texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private static func hash(_ members: JSONObject) throws(StorageError) -> String {
        let digest = Insecure.SHA1.hash(data: try members.canonicalBytes())
        return digest.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
