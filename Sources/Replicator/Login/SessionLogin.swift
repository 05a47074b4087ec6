internal import NIOHTTP1
internal import SetteeDocumentValues

/// Begins sessions: CouchDB's at the server, Sync Gateway's at the database.
struct SessionLogin: Sendable {
    let transport: RemoteTransport

    /// The cookies that stand for a session.
    private static let names = ["AuthSession", "SyncGatewaySession"]

    /// Returns the session's cookie, as `AuthSession=...`.
    ///
    /// - Throws: `unauthorized` for a wrong name or password.
    func begin(_ user: String, _ password: String) async throws -> String {
        var request = RemoteRequest(.POST, "_session")
        request.body = .json(
            try JSONObject([("name", .string(user)), ("password", .string(password))]).canonicalBytes()
        )
        request.base = .server
        var response = try await transport.send(request, login: [])
        if [400, 404, 405].contains(response.status) {
            request.base = .database
            response = try await transport.send(request, login: [])
        }
        guard response.isSuccess else { throw await response.failure() }
        guard let cookie = SessionLogin.cookie(of: response.headers) else {
            throw PeerError.badAnswer("a session without its cookie")
        }
        return cookie
    }

    /// The session's cookie in the headers of an answer; nil if there is none, or an empty one.
    static func cookie(of headers: HTTPHeaders) -> String? {
        Cookies(of: headers).pairs.first { pair in names.contains { pair.hasPrefix($0 + "=") } }
    }
}
