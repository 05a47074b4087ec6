internal import Foundation
internal import HTTPTypes
internal import InMemoryLogging
internal import Logging
internal import SetteeCouchProtocol
internal import StorageProtocol

@testable internal import SetteeListener

/// A policy with a clock of the test, and what it logs.
struct PolicyFixture: Sendable {
    static let ida = "correct horse 7"
    static let table = ListenerUsers.table([
        "ida": .init(password: ida, roles: ["writer"]),
        "rob": .init(password: "rob's word", roles: ["reader"]),
        "ada": .init(password: "ada's word", roles: ["admin"]),
        "eve": .init(password: "eve's word", roles: ["sales"]),
    ])

    let clock = TestClock()
    let log = InMemoryLogHandler()
    let policy: AccessPolicy

    init(
        _ users: ListenerUsers = PolicyFixture.table,
        pool: ScryptPool = ScryptPool(),
        _ change: (inout AccessConfiguration) -> Void = { _ in }
    ) {
        var configuration = AccessConfiguration(users: users)
        change(&configuration)
        var handler = log
        handler.logLevel = .trace
        let logger = Logger(label: "settee.Listener") { _ in handler }
        policy = AccessPolicy(configuration, logger: logger, clock: clock.clock, pool: pool)
    }

    /// Decides, and returns the refusal as well.
    func decide(_ request: AccessRequest, needs right: AccessRight = .serverRead) async -> Result<Access, AccessRefusal>
    {
        do throws(AccessRefusal) {
            return .success(try await policy.decide(request, needs: right))
        } catch {
            return .failure(error)
        }
    }

    /// The status of a refusal; 200 if there is none.
    func status(_ request: AccessRequest, needs right: AccessRight = .serverRead) async -> Int {
        switch await decide(request, needs: right) {
        case .success: 200
        case .failure(let refusal): refusal.error.status
        }
    }

    /// Logs in and returns the value of the cookie.
    func cookie(_ name: String = "ida", _ password: String = PolicyFixture.ida) async throws -> String {
        let body = Array("{\"name\":\"\(name)\",\"password\":\"\(password)\"}".utf8)
        let request = AccessRequest.make(.post, ["Content-Type": "application/json"])
        let access = try await policy.decide(request, needs: .open)
        let answer = try await policy.logIn(body: body, request, access)
        return PolicyFixture.value(ofCookie: answer.headers[.setCookie] ?? "")
    }

    /// What stands between `AuthSession=` and the first semicolon.
    static func value(ofCookie header: String) -> String {
        String(header.dropFirst("AuthSession=".count).prefix { $0 != ";" })
    }

    /// All that was logged, as text.
    var logged: String {
        log.entries.map { "\($0.level) \($0.message) \($0.metadata) \($0.error.map { "\($0)" } ?? "")" }
            .joined(separator: "\n")
    }
}

extension AccessRequest {
    /// A request of a program on this machine, unless the headers say otherwise.
    static func make(
        _ method: HTTPRequest.Method = .get,
        _ headers: KeyValuePairs<String, String> = [:],
        host: String? = "localhost:5984",
        from address: String = "127.0.0.1",
        isSecure: Bool = false
    ) -> AccessRequest {
        var fields = HTTPFields()
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return AccessRequest(
            method: method,
            authority: host,
            headers: fields,
            remoteAddress: address,
            isSecure: isSecure
        )
    }

    static func basic(
        _ name: String,
        _ password: String,
        _ method: HTTPRequest.Method = .get,
        from address: String = "127.0.0.1"
    ) -> AccessRequest {
        make(
            method,
            ["Authorization": "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()],
            from: address
        )
    }

    static func cookie(_ value: String, _ method: HTTPRequest.Method = .get, isSecure: Bool = false) -> AccessRequest {
        make(method, ["Cookie": "AuthSession=\(value)"], isSecure: isSecure)
    }
}
