internal import NIOHTTP1
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Requests with login and retries.
final class RemoteClient: Sendable {
    let transport: RemoteTransport
    private let login: Login?
    /// How long to wait before each retry.
    let pauses: [Duration]
    /// How many requests were sent again.
    let repeats = Locked(0)
    /// A server that asks for more patience than this is left to the caller.
    private static let longestPause = Duration.seconds(30)

    init(_ transport: RemoteTransport, _ authenticator: Authenticator?, pauses: [Duration]) {
        self.transport = transport
        login = authenticator.map { Login($0, transport) }
        self.pauses = pauses
    }

    /// Sends a request once. A 401 is asked again with the next login.
    ///
    /// - Returns: The answer, whatever its status.
    func send(_ request: RemoteRequest) async throws -> RemoteResponse {
        guard let login else { return try await transport.send(request, login: []) }
        var ticket = try await login.ticket()
        var response = try await transport.send(request, login: ticket.headers(request, transport.endpoint))
        if response.status == 401, let next = try await login.ticket(after: ticket) {
            ticket = next
            response = try await transport.send(request, login: ticket.headers(request, transport.endpoint))
        }
        await login.take(response, to: ticket)
        return response
    }

    /// Does `work` until it succeeds, again after failures that may pass.
    ///
    /// - Parameter documents: how many documents the answer is about: see `pause`.
    func retrying<R: Sendable>(
        about documents: Int? = nil,
        _ work: @Sendable () async throws -> R
    ) async throws -> R {
        var pauses = pauses[...]
        while true {
            do {
                return try await work()
            } catch let error as PeerError {
                try await pause(after: error, about: documents, &pauses)
            }
        }
    }

    /// Waits before a request is sent again.
    ///
    /// - Parameters:
    ///   - documents: how many documents the answer is about; nil if it is about the database. One of several documents
    ///     may have made an answer unreadable, which will be so again: the caller asks for less at once. The answer
    ///     about a single one is asked for once more.
    ///   - pauses: Those that are left.
    /// - Throws: The error, if it will not pass, or no pauses are left.
    func pause(
        after error: PeerError,
        about documents: Int? = nil,
        _ pauses: inout ArraySlice<Duration>
    ) async throws {
        // A success with a body that cannot be read may come from a proxy. The next request may reach the server.
        let mayPass = error.kind == .transient || error.isBrokenAnswer
        let used = pauses.startIndex
        let mostBroken = documents.map { $0 > 1 ? 0 : 1 } ?? .max
        let wanted = error.retryAfter ?? .zero
        guard mayPass, !error.isBrokenAnswer || used < mostBroken, wanted <= RemoteClient.longestPause,
            let pause = pauses.popFirst()
        else { throw error }
        repeats.withLock { $0 += 1 }
        let time = max(pause, wanted)
        Log.log(
            .info,
            .remoteRequest,
            "\(transport.endpoint): a request is sent again in \(time.logged) (\(error.logged))"
        )
        try await Task.sleep(for: time)
    }

    /// Sends a request until it succeeds or fails for good, and returns the answer.
    ///
    /// - Throws: `PeerError` for a status that is neither a success nor among `others`.
    func answer(_ request: RemoteRequest, or others: Set<Int> = []) async throws -> RemoteResponse {
        try await retrying { try await self.tried(request, others) }
    }

    /// Sends a request as `answer` does, and reads the body of the answer as JSON.
    ///
    /// - Returns: The body; nil for one of the statuses `others`.
    /// - Throws: As `answer`; `badAnswer` for a body that is no JSON, or longer than `limit` bytes.
    func json(
        _ request: RemoteRequest,
        or others: Set<Int> = [],
        about documents: Int? = nil,
        upTo limit: Int
    ) async throws -> JSONValue? {
        try await retrying(about: documents) {
            let response = try await self.tried(request, others)
            guard response.isSuccess else { return nil }
            return try RemoteClient.parse(await response.body.collect(upTo: limit))
        }
    }

    private func tried(_ request: RemoteRequest, _ others: Set<Int>) async throws -> RemoteResponse {
        let response = try await send(request)
        guard response.isSuccess || others.contains(response.status) else { throw await response.failure() }
        return response
    }

    private static func parse(_ bytes: [UInt8]) throws(PeerError) -> JSONValue {
        do {
            return try JSONValue(parsing: bytes)
        } catch {
            throw .badAnswer("no JSON")
        }
    }
}
