public import Foundation

/// How a replicator logs in at a server. Secrets go to the server of the endpoint only, over HTTPS or to this computer
/// (see `RemoteEndpoint.allowsInsecureLogin`), and never to disk or into a log.
///
/// A 401 to a login that has worked asks for the next one: a session is begun anew, a token asked for again. A 401 to
/// that one ends the replication with `unauthorized`.
public struct Authenticator: Sendable {
    /// Returns a token.
    ///
    /// - Parameter isRenewal: Whether the server has refused the token of the call before.
    public typealias TokenSource = @Sendable (_ isRenewal: Bool) async throws -> String

    /// Lets the user log in at a page, and returns the URL that the browser was sent to at the end.
    public typealias OpenIDLogin = @Sendable (_ page: URL) async throws -> URL

    enum Method: Sendable {
        case basic(user: String, password: String)
        case session(user: String, password: String)
        case bearer(TokenSource)
        case oauth(OAuthCredentials)
        case openID(OpenIDTokens, login: OpenIDLogin, changed: @Sendable (OpenIDTokens) async -> Void)
    }

    let method: Method

    /// Name and password with each request (RFC 7617).
    public static func basic(_ user: String, _ password: String) -> Authenticator {
        Authenticator(method: .basic(user: user, password: password))
    }

    /// A session that name and password begin: that of CouchDB, or that of the database at a Sync Gateway.
    public static func session(_ user: String, _ password: String) -> Authenticator {
        Authenticator(method: .session(user: user, password: password))
    }

    /// A token with each request (RFC 6750), as a JWT.
    public static func bearer(_ token: @escaping TokenSource) -> Authenticator {
        Authenticator(method: .bearer(token))
    }

    /// Signed requests (OAuth 1, HMAC-SHA1).
    public static func oauth1(_ credentials: OAuthCredentials) -> Authenticator {
        Authenticator(method: .oauth(credentials))
    }

    /// OpenID Connect as Sync Gateway does it, with the code flow.
    ///
    /// - Parameters:
    ///   - tokens: Those that an earlier `changed` was given, kept in the system's store for secrets.
    ///   - login: Called if there is no other way to get a token.
    ///   - changed: Called with new tokens.
    public static func openIDConnect(
        _ tokens: OpenIDTokens = OpenIDTokens(),
        login: @escaping OpenIDLogin,
        changed: @escaping @Sendable (OpenIDTokens) async -> Void = { _ in }
    ) -> Authenticator {
        Authenticator(method: .openID(tokens, login: login, changed: changed))
    }
}
