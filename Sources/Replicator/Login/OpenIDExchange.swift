internal import Foundation
internal import NIOHTTP1
internal import SetteeCouchProtocol
internal import SetteeDocumentValues

/// Gets tokens as Sync Gateway gives them: by a refresh token, or by a page where the user logs in.
struct OpenIDExchange: Sendable {
    let transport: RemoteTransport
    let login: Authenticator.OpenIDLogin

    func next(after tokens: OpenIDTokens) async throws -> OpenIDTokens {
        if let refresh = tokens.refreshToken {
            let request = RemoteRequest(.GET, "_oidc_refresh", [("refresh_token", refresh)])
            let response = try await transport.send(request, login: [])
            if response.isSuccess { return try await read(response, keeping: refresh) }
            let failure = await response.failure()
            guard failure.kind != .transient else { throw failure }
        }
        let page = try await challenge()
        let end: URL
        do {
            end = try await login(page)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw PeerError(.unauthorized, status: 401, "The user did not log in.")
        }
        let response = try await transport.send(try callback(end), login: [])
        guard response.isSuccess else { throw await response.failure() }
        return try await read(response, keeping: nil)
    }

    /// Asks where the user logs in.
    private func challenge() async throws -> URL {
        let response = try await transport.send(
            RemoteRequest(.GET, "_oidc_challenge", [("offline", "true")]),
            login: []
        )
        for header in response.headers["www-authenticate"] {
            guard header.lowercased().hasPrefix("oidc "), let start = header.range(of: #"login=""#)?.upperBound,
                let end = header[start...].firstIndex(of: "\""), let page = URL(string: String(header[start..<end])),
                ["http", "https"].contains(page.scheme?.lowercased())
            else { continue }
            return page
        }
        let failure = await response.failure()
        guard failure.kind != .transient else { throw failure }
        throw PeerError(.unauthorized, status: 401, "The server names no page for logins with OpenID Connect.")
    }

    /// The request that hands the provider's code to the server of the endpoint: only the query is taken of the URL
    /// that the browser ended at, so that the code goes nowhere else.
    private func callback(_ end: URL) throws -> RemoteRequest {
        let items = URLComponents(url: end, resolvingAgainstBaseURL: true)?.queryItems ?? []
        guard end.path.hasSuffix("/_oidc_callback"), items.contains(where: { $0.name == "code" }) else {
            throw PeerError(.unauthorized, status: 401, "The login ended at another page than the server's.")
        }
        return RemoteRequest(.GET, "_oidc_callback", items.map { ($0.name, $0.value ?? "") })
    }

    private func read(_ response: RemoteResponse, keeping refresh: String?) async throws -> OpenIDTokens {
        let bytes = try await response.body.collect(upTo: 256 << 10)
        guard let members = (try? JSONValue(parsing: bytes))?.objectValue, let token = members["id_token"]?.stringValue
        else { throw PeerError.badAnswer("a login without a token") }
        return OpenIDTokens(idToken: token, refreshToken: members["refresh_token"]?.stringValue ?? refresh)
    }
}
