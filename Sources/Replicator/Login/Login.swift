internal import Foundation
internal import NIOHTTP1

/// The login of one replication: what it is now, and how the next one is got. Several requests that are refused at the
/// same time ask for one.
actor Login {
    private let transport: RemoteTransport
    private let method: Authenticator.Method
    private var current: LoginTicket?
    /// What is under way.
    private var next: Task<LoginTicket, any Error>?
    private var tokens = OpenIDTokens()

    init(_ authenticator: Authenticator, _ transport: RemoteTransport) {
        self.transport = transport
        method = authenticator.method
        if case .openID(let tokens, _, _) = method { self.tokens = tokens }
    }

    /// The ticket for the next request.
    func ticket() async throws -> LoginTicket {
        if let current { return current }
        return try await renewed()
    }

    /// The ticket after one that was refused; nil if there is no other.
    func ticket(after refused: LoginTicket) async throws -> LoginTicket? {
        if let current, current.number > refused.number { return current }
        switch method {
        case .basic, .oauth: return nil
        case .session, .bearer, .openID: return try await renewed()
        }
    }

    /// Takes the cookie with which CouchDB renews a session.
    func take(_ headers: HTTPHeaders) {
        guard case .session = method, let cookie = SessionLogin.cookie(of: headers), let current else { return }
        self.current = LoginTicket(number: current.number, proof: .header(name: "Cookie", value: cookie))
    }

    private func renewed() async throws -> LoginTicket {
        if let next { return try await next.value }
        let number = (current?.number ?? 0) + 1
        let task = Task { try await self.begin(number) }
        next = task
        defer { next = nil }
        let ticket = try await task.value
        current = ticket
        return ticket
    }

    private func begin(_ number: Int) async throws -> LoginTicket {
        switch method {
        case .basic(let user, let password):
            let pair = Data("\(user):\(password)".utf8).base64EncodedString()
            return authorization("Basic \(pair)", number)
        case .session(let user, let password):
            let cookie = try await SessionLogin(transport: transport).begin(user, password)
            return LoginTicket(number: number, proof: .header(name: "Cookie", value: cookie))
        case .bearer(let source):
            return authorization("Bearer \(try await token(source, isRenewal: number > 1))", number)
        case .oauth(let credentials): return LoginTicket(number: number, proof: .signature(credentials))
        case .openID(_, let login, let changed):
            // Those that were given may still be good.
            if number > 1 || tokens.idToken == nil {
                tokens = try await OpenIDExchange(transport: transport, login: login).next(after: tokens)
                await changed(tokens)
            }
            return authorization("Bearer \(tokens.idToken ?? "")", number)
        }
    }

    private func token(_ source: Authenticator.TokenSource, isRenewal: Bool) async throws -> String {
        do {
            return try await source(isRenewal)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw PeerError(.unauthorized, status: 401, "There is no token.")
        }
    }

    private func authorization(_ value: String, _ number: Int) -> LoginTicket {
        LoginTicket(number: number, proof: .header(name: "Authorization", value: value))
    }
}
