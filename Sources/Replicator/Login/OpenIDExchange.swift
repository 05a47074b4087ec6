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
        let challenge = try await challenge()
        let end: URL
        do {
            end = try await login(challenge.page)
        } catch is CancellationError {
            throw CancellationError()
        } catch let error as PeerError {
            throw error
        } catch {
            throw PeerError(.unauthorized, status: 401, "The user did not log in.")
        }
        // Sync Gateway knows the browser's code by the cookie of its challenge.
        let cookies = challenge.cookies.pairs.joined(separator: "; ")
        let response = try await transport.send(
            try callback(end),
            login: cookies.isEmpty ? [] : [("Cookie", cookies)]
        )
        guard response.isSuccess else { throw await response.failure() }
        return try await read(response, keeping: nil)
    }

    /// Asks where the user logs in.
    private func challenge() async throws -> (page: URL, cookies: Cookies) {
        let response = try await transport.send(
            RemoteRequest(.GET, "_oidc_challenge", [("offline", "true")]),
            login: []
        )
        guard let page = response.headers["www-authenticate"].lazy.compactMap(loginPage).first else {
            let failure = await response.failure()
            guard failure.kind != .transient else { throw failure }
            throw PeerError(.unauthorized, status: 401, "The server names no page for logins with OpenID Connect.")
        }
        return (page, Cookies(of: response.headers))
    }

    /// The page in a challenge. It may be anybody's, but not one that shows another host than it has, or whose user's
    /// password everybody on the way can read.
    private func loginPage(_ challenge: String) -> URL? {
        guard challenge.utf8.count <= 8 << 10, challenge.lowercased().hasPrefix("oidc "),
            let start = challenge.range(of: #"login=""#)?.upperBound,
            let end = challenge[start...].firstIndex(of: "\""),
            let page = URL(string: String(challenge[start..<end]), encodingInvalidCharacters: false),
            let host = page.host(percentEncoded: true), page.user() == nil
        else { return nil }
        switch page.scheme?.lowercased() {
        case "https": return page
        case "http" where RemoteEndpoint.isLoopback(host) || transport.endpoint.allowsInsecureLogin: return page
        default: return nil
        }
    }

    /// The request that hands the provider's code to the server of the endpoint: only the query is taken of the URL
    /// that the browser ended at, so that the code goes nowhere else.
    private func callback(_ end: URL) throws -> RemoteRequest {
        let items = URLComponents(url: end, resolvingAgainstBaseURL: true)?.queryItems ?? []
        guard end.path.hasSuffix("/_oidc_callback"), !items.contains(where: { $0.name == "error" }) else {
            throw PeerError(.unauthorized, status: 401, "The login was denied, or ended at another page.")
        }
        guard items.contains(where: { $0.name == "code" }) else {
            throw PeerError(.unauthorized, status: 401, "The login ended without a code.")
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
