internal import Foundation

/// The login of one replication: what it is now, and how the next one is got. Several requests that are refused at the
/// same time ask for one.
actor Login {
    private let transport: RemoteTransport
    private let method: Authenticator.Method
    private var current: LoginTicket?
    /// What is under way, for how many requests, and how many of them are cancelled.
    private var next: Task<LoginTicket, any Error>?
    private var waiting = 0
    private var cancelled = 0
    private var tokens = OpenIDTokens()
    /// The newest ticket that a request was not refused with.
    private var proven = 0
    /// The newest ticket for which the user is asked, and the newest for which the user has logged in.
    private var asking = 0
    private var asked = 0

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

    /// The ticket after one that was refused; nil if there is no other. A server that refuses one after the other does
    /// not get ever more of them.
    func ticket(after refused: LoginTicket) async throws -> LoginTicket? {
        if let current, current.number > refused.number { return current }
        guard refused.number <= max(1, proven) else { return nil }
        switch method {
        case .basic, .oauth: return nil
        case .session, .bearer, .openID: return try await renewed()
        }
    }

    /// Learns from an answer that a ticket is good, and takes the cookie with which CouchDB renews a session.
    func take(_ response: RemoteResponse, to ticket: LoginTicket) {
        guard response.status != 401, let current, current.number == ticket.number else { return }
        proven = max(proven, ticket.number)
        guard case .session = method, let cookie = SessionLogin.cookie(of: response.headers) else { return }
        self.current = LoginTicket(number: current.number, proof: .header(name: "Cookie", value: cookie))
    }

    private func renewed() async throws -> LoginTicket {
        let task: Task<LoginTicket, any Error>
        if let next {
            task = next
        } else {
            let number = (current?.number ?? 0) + 1
            task = Task { try await self.begin(number) }
            next = task
            (waiting, cancelled) = (0, 0)
        }
        waiting += 1
        let ticket = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            Task { await self.cancel(task) }
        }
        if next == task { next = nil }
        let fresh = try ticket.get()
        if fresh.number > current?.number ?? 0 { current = fresh }
        return fresh
    }

    /// Gives up what is under way if nobody waits for it any more.
    private func cancel(_ task: Task<LoginTicket, any Error>) {
        guard next == task else { return }
        cancelled += 1
        if cancelled == waiting { task.cancel() }
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
                let exchange = OpenIDExchange(transport: transport) { page in
                    try await self.ask(for: number)
                    return try await login(page)
                }
                tokens = try await exchange.next(after: tokens)
                asked = asking
                await changed(tokens)
            }
            return authorization("Bearer \(tokens.idToken ?? "")", number)
        }
    }

    /// - Throws: `unauthorized` if the server has taken nothing since the user logged in.
    private func ask(for number: Int) throws {
        guard asked <= proven else {
            throw PeerError(.unauthorized, status: 401, "The server refuses the login of the user.")
        }
        asking = number
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
