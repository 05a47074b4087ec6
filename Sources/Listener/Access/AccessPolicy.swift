package import HTTPTypes
package import Logging
internal import SetteeCouchProtocol

/// Decides who a request is and what it may do.
///
/// ```swift
/// if let headers = try policy.preflight(request) { return answer(204, headers) }
/// let access = try await policy.decide(request, needs: .databaseRead)
/// let database = try open(...)
/// try access.require(.databaseRead, in: security(of: database))
/// ```
///
/// Safe to use from several tasks. Nothing that a client sent is logged.
package final class AccessPolicy: Sendable {
    let configuration: AccessConfiguration
    let clock: AccessClock
    let logger: Logger
    let passwords: PasswordLogin
    let signer: SessionSigner
    let origins: OriginGuard
    let tokens: TokenVerifier?

    /// - Parameter configuration: One that `check(address:)` has accepted.
    package convenience init(_ configuration: AccessConfiguration, logger: Logger, clock: AccessClock = .system) {
        self.init(configuration, logger: logger, clock: clock, pool: ScryptPool())
    }

    init(_ configuration: AccessConfiguration, logger: Logger, clock: AccessClock, pool: ScryptPool) {
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        signer = SessionSigner(secret: configuration.sessionSecret)
        passwords = PasswordLogin(configuration.users, clock: clock, pool: pool, logger: logger)
        origins = OriginGuard(rules: configuration.crossOrigin, hosts: configuration.allowedHosts)
        tokens = configuration.tokens.map { TokenVerifier(rules: $0) }
    }

    /// Returns the headers of the answer (204, without a body) if the request is a CORS preflight and CORS is on. Such
    /// a request has no login.
    ///
    /// - Throws: `bad_request` (400) and `forbidden` (403) for the Host header.
    package func preflight(_ request: AccessRequest) throws(AccessRefusal) -> HTTPFields? {
        guard request.method == .options, !configuration.crossOrigin.isOff,
            let origin = request.headers[.origin],
            let method = request.headers[.accessControlRequestMethod]
        else { return nil }
        do throws(CouchError) {
            _ = try origins.check(request)
        } catch {
            throw AccessRefusal(error: error, headers: [:])
        }
        return configuration.crossOrigin.preflightHeaders(for: origin, method: method)
    }

    /// Decides about a request, before anything is opened. What `_security` has to say comes later, by
    /// `Access.require(_:in:)`.
    ///
    /// - Parameter right: What the route and the method need.
    /// - Throws: An `AccessRefusal` with `bad_request` (400), `unauthorized` (401), `forbidden` (403),
    ///   `service_unavailable` (503) if too many logins wait, or `internal_server_error` (500).
    package func decide(_ request: AccessRequest, needs right: AccessRight) async throws(AccessRefusal) -> Access {
        var headers = configuration.crossOrigin.headers(for: nil)
        do throws(CouchError) {
            headers = configuration.crossOrigin.headers(for: try origins.check(request))
            let login = try await login(of: request, mayHaveNone: right == .open)
            if let cookie = login.cookie { headers[.setCookie] = cookie }
            let access = Access(
                user: login.user,
                method: login.method,
                headers: headers,
                isReadOnly: configuration.isReadOnly,
                proof: login.proof,
                end: login.end
            )
            try access.require(right)
            return access
        } catch {
            throw refusal(error, of: request, headers)
        }
    }

    private static let programMarks = [HTTPField.Name("X-Requested-With"), .origin].compactMap(\.self)
    private static let fetchMode = HTTPField.Name("Sec-Fetch-Mode")

    /// Adds what clients need to know of a refusal.
    func refusal(_ error: CouchError, of request: AccessRequest, _ headers: HTTPFields) -> AccessRefusal {
        var headers = headers
        if error.status == 401 { headers[.wwwAuthenticate] = challenge(request) }
        if error.isRetryable { headers[.retryAfter] = "2" }
        return AccessRefusal(error: error, headers: headers)
    }

    /// What a client may log in with. `Basic` makes a browser show its dialogue, and the program in a page wait for it;
    /// so it is left out for them. Old ones send `X-Requested-With`; of `fetch` in a page of another origin browsers
    /// tell the origin, and of any `fetch` that the user did not navigate.
    private func challenge(_ request: AccessRequest) -> String? {
        if case .none = configuration.users.source { return tokens == nil ? nil : "Bearer realm=\"Settee\"" }
        let isProgram = AccessPolicy.programMarks.contains { request.headers[$0] != nil }
        let isFetched = AccessPolicy.fetchMode.map { request.headers[$0] ?? "navigate" } != "navigate"
        let asks = !isProgram && !isFetched && SessionCookie.values(in: request.headers).isEmpty
        return asks ? "Basic realm=\"Settee\", charset=\"UTF-8\"" : nil
    }
}
