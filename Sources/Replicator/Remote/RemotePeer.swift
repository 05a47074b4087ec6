internal import NIOHTTP1
internal import SetteeDocumentValues
internal import StorageProtocol

/// A database behind HTTP. docs/reference/replication-protocol.md says what is sent, and what is taken for an answer.
final class RemotePeer: Peer {
    /// What an answer that is read as a whole has at most.
    static let answerBytes = 64 << 20

    let client: RemoteClient
    let dialect: Locked<Dialect> = Locked(Dialect())

    /// - Parameters:
    ///   - authenticator: Nil: the user and password of the URL, if it has them.
    ///   - pauses: How long to wait before each retry of a request that failed.
    /// - Throws: `badParameter` (495) if secrets would be sent readable, `fileSystem` (498) for PEM files that cannot
    ///   be read.
    init(
        _ endpoint: RemoteEndpoint,
        authenticator: Authenticator? = nil,
        pauses: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2)]
    ) throws(StorageError) {
        let login = authenticator ?? endpoint.credentials.map { .basic($0.user, $0.password) }
        guard
            endpoint.usesTLS || endpoint.isLoopback || endpoint.allowsInsecureLogin
                || (login == nil && endpoint.headers.isEmpty)
        else {
            throw StorageError(
                .badParameter,
                """
                A login over plain HTTP can be read by everybody on the way. Use https, or allow it explicitly \
                (allowsInsecureLogin, --allow-insecure-login).
                """
            )
        }
        client = RemoteClient(try RemoteTransport(endpoint), login, pauses: pauses)
    }

    var name: String { client.transport.endpoint.description }
    var breaks: Int { client.repeats.withLock { $0 } }

    /// The certificate that the server showed last; nil without TLS, and before the first request.
    var serverCertificate: ServerCertificate? { client.transport.serverCertificate }

    func information() async throws -> PeerInformation {
        try await client.retrying {
            // Sync Gateway redirects the path without the slash.
            let response = try await self.client.send(RemoteRequest(.GET, ""))
            guard response.isSuccess else { throw await response.failure() }
            let isSyncGateway = response.headers["server"].contains { $0.contains("Sync Gateway") }
            self.dialect.withLock { $0.isSyncGateway = isSyncGateway }
            let bytes = try await response.body.collect(upTo: RemotePeer.answerBytes)
            guard let members = (try? JSONValue(parsing: bytes))?.objectValue, members["db_name"] != nil else {
                throw PeerError.badAnswer("not that of a database")
            }
            return PeerInformation(
                uuid: members["db_uuid"]?.stringValue,
                startTime: members["instance_start_time"]?.opaqueText ?? "0",
                lastSequence: members["update_seq"] ?? 0
            )
        }
    }

    /// Throws what the database answers now, if an error may be that of something in between.
    func expectServer(after error: PeerError) async throws {
        if error.isNameless { _ = try await information() }
    }

    /// Makes the database, if there is none.
    func create() async throws { _ = try await client.answer(RemoteRequest(.PUT, ""), or: [412]) }

    func commit() async throws {
        guard dialect.withLock({ $0.hasFullCommit }) else { return }
        var request = RemoteRequest(.POST, "_ensure_full_commit")
        request.body = .json(Array("{}".utf8))
        let missing: Set<Int> = [400, 403, 404, 405, 501]
        let answer = try await client.json(request, or: missing, upTo: RemotePeer.answerBytes)
        if answer == nil { dialect.withLock { $0.hasFullCommit = false } }
    }
}

extension JSONValue {
    /// Text as it is, anything else as JSON: how sequences of other servers are sent back to them.
    var opaqueText: String { stringValue ?? description }
}
