internal import Foundation
internal import Settee
internal import SetteeDocumentValues
internal import SetteeListener
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// A listener over a database `db`, and a peer that speaks to it.
struct RemoteBed {
    let folder: TemporaryFolder
    let manager: Manager
    let database: Database
    let listener: Listener

    init(_ access: AccessConfiguration = AccessConfiguration(), tls: ((String) -> ListenerTLS)? = nil) throws {
        folder = try TemporaryFolder()
        manager = try Manager(directory: folder.url, options: .init(storageType: .memory))
        database = try manager.database(named: "db", options: DatabaseOptions(durability: .normal))
        let configuration = ListenerConfiguration(access: access, tls: tls?(folder.url.path))
        listener = try Listener(manager: manager, configuration: configuration)
    }

    /// Where a listener with a certificate of its own keeps it.
    var certificates: String { folder.url.path + "/tls/" }

    func endpoint(_ path: String = "db") throws -> RemoteEndpoint {
        try RemoteEndpoint(try #require(listener.url) + path)
    }

    func peer(_ path: String = "db", _ authenticator: Authenticator? = nil) throws -> RemotePeer {
        try RemotePeer(endpoint(path), authenticator: authenticator, pauses: [])
    }

    static func run(
        _ access: AccessConfiguration = AccessConfiguration(),
        tls: ((String) -> ListenerTLS)? = nil,
        _ test: (RemoteBed) async throws -> Void
    ) async throws {
        let bed = try RemoteBed(access, tls: tls)
        try await bed.listener.start()
        do {
            try await test(bed)
        } catch {
            await bed.listener.stop(within: .zero)
            throw error
        }
        #expect(try bed.database.check().map(\.description) == [])
        await bed.listener.stop(within: .zero)
        try bed.manager.close()
    }
}

extension ScriptedServer {
    func peer(_ path: String = "db", _ authenticator: Authenticator? = nil, retries: Int = 0) throws -> RemotePeer {
        let endpoint = try RemoteEndpoint("http://127.0.0.1:\(port)/\(path)")
        let pauses = Array(repeating: Duration.milliseconds(5), count: retries)
        return try RemotePeer(endpoint, authenticator: authenticator, pauses: pauses)
    }
}

extension TransferredRevision {
    static func make(
        _ id: String,
        _ history: [String],
        _ json: String = "{}",
        attachments: Bool = false,
        known: [String] = []
    ) -> TransferredRevision {
        TransferredRevision(
            documentID: id,
            history: history,
            isDeleted: false,
            json: Array(json.utf8),
            hasAttachments: attachments,
            knownAncestors: known
        )
    }
}

/// What a call of `Peer` fails with.
func failure(_ work: () async throws -> Void) async -> PeerError? {
    do {
        try await work()
        return nil
    } catch {
        return error as? PeerError
    }
}

extension RemotePeer {
    /// All answers, in the order of the wishes.
    func collected(_ wishes: [RevisionWish]) async throws -> [[SetteeReplicator.RevisionAnswer]] {
        var answers: [[SetteeReplicator.RevisionAnswer]] = Array(repeating: [], count: wishes.count)
        try await revisions(wishes) { place, answer in answers[place].append(answer) }
        return answers
    }
}

extension SetteeReplicator.RevisionAnswer {
    var found: TransferredRevision? { if case .found(let revision) = self { revision } else { nil } }
    var isMissing: Bool { if case .missing = self { true } else { false } }
    var error: PeerError? { if case .missing(_, let error) = self { error } else { nil } }
}

extension RevisionWish {
    init(_ id: String, _ revisions: String..., known: [String] = []) {
        self.init(documentID: id, revisions: revisions, knownAncestors: known)
    }
}
