internal import HTTPTypes
internal import SetteeCouchProtocol

extension AccessPolicy {
    /// Who a request is.
    struct Login {
        var user: UserContext
        var method: LoginMethod?
        /// What changes with the user's password.
        var proof: [UInt8]?
        /// When the login ends by itself, in seconds since 1970.
        var end: Int64?
        /// The value of Set-Cookie, if the cookie has been renewed.
        var cookie: String?
    }

    /// Finds out who a request is: by Authorization, else by cookie, else by client certificate.
    ///
    /// - Parameter mayHaveNone: Whether a request without login, or with a cookie that is no longer good, is served.
    /// - Throws: `unauthorized` (401), `service_unavailable` (503), `internal_server_error` (500).
    func login(of request: AccessRequest, mayHaveNone: Bool) async throws(CouchError) -> Login {
        guard configuration.needsLogin else { return Login(user: .everybody) }
        let credentials = request.headers[values: .authorization]
        if let credential = credentials.first {
            guard credentials.count == 1 else { throw .wrongLogin }
            return try await login(by: credential, request)
        }
        let cookies = SessionCookie.values(in: request.headers)
        if !cookies.isEmpty {
            if let login = try login(by: cookies, request) { return login }
            if !mayHaveNone { throw .unauthorized("The session has ended. Log in again.") }
        }
        if let certificate = request.clientCertificate, let user = await configuration.certificates?(certificate) {
            return Login(user: user, method: .certificate)
        }
        if mayHaveNone { return Login(user: .nobody) }
        throw .unauthorized("Authentication required.")
    }

    private func login(by credential: String, _ request: AccessRequest) async throws(CouchError) -> Login {
        let parts = credential.utf8.split(separator: 0x20, maxSplits: 1)
        let scheme = parts.first.map { String(decoding: $0.map { $0 | 0x20 }, as: UTF8.self) }
        guard parts.count == 2 else { throw .wrongLogin }
        switch scheme {
        case "basic":
            guard let (name, password) = BasicCredentials.read(parts[1]) else { throw .wrongLogin }
            let success = try await passwords.verify(
                name: name,
                password: password,
                address: request.addressGroup.text
            )
            let user = UserContext(name: name, roles: success.roles)
            return Login(user: user, method: .basic, proof: success.cookieSalt)
        case "bearer":
            let token = String(Substring(parts[1]))
            guard let (user, end) = await tokens?.user(token, at: clock.wall()) else {
                throw .unauthorized("The token is not valid here. Get a new one from its issuer.")
            }
            return Login(user: user, method: .token, end: end)
        default:
            throw .wrongLogin
        }
    }

    /// Nil if the session has ended or was never one.
    private func login(by cookies: [String], _ request: AccessRequest) throws(CouchError) -> Login? {
        let now = clock.wall()
        guard cookies.count == 1,
            var ticket = try signer.ticket(
                cookies[0],
                salt: { (name) throws(CouchError) in try passwords.cookieFacts(of: name)?.salt }
            ),
            ticket.isGood(at: now), let name = ticket.user.name, let facts = try passwords.cookieFacts(of: name)
        else { return nil }
        ticket.user.roles = facts.roles ?? ticket.user.roles
        let end = ticket.began + SessionTicket.longestSession
        var login = Login(user: ticket.user, method: .cookie, proof: facts.salt, end: end)
        if ticket.isToBeRenewed(at: now) {
            ticket.issued = now
            login.cookie = signer.value(ticket, salt: facts.salt).map {
                SessionCookie.header($0, isSecure: request.isSecure)
            }
        }
        return login
    }
}
