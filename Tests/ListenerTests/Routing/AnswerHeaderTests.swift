internal import HTTPTypes
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

@Suite struct AnswerHeaderTests {
    @Test("a login from a page of another origin has each header of CORS once: browsers take no two")
    func crossOrigin() async throws {
        let users = ListenerUsers.table(["ida": .init(password: "a long secret", roles: ["reader"])])
        var access = AccessConfiguration(users: users)
        access.crossOrigin = try .origins(["https://app.example"])
        try await withListener(.memory, access: access) { bed in
            for password in ["a long secret", "a wrong one"] {
                let body = #"{"name":"ida","password":"\#(password)"}"#
                let reply = try await bed.send(.post, "/_session", body, headers: [.origin: "https://app.example"])
                #expect(reply.status == (password == "a long secret" ? 200 : 401))
                #expect(reply.headers[values: .accessControlAllowOrigin] == ["https://app.example"])
                #expect(reply.headers[values: .vary] == ["Origin"])
            }
        }
    }

    @Test("the cookie of a logout counts, not the one that was renewed before")
    func cookies() {
        var answer = Answer(status: .ok, headers: [.setCookie: "AuthSession=", .vary: "Accept-Encoding"])
        answer.add([.setCookie: "AuthSession=renewed", .vary: "Origin"])
        #expect(answer.headers[values: .setCookie] == ["AuthSession="])
        #expect(answer.headers[values: .vary] == ["Accept-Encoding", "Origin"])
        var other = Answer(status: .ok)
        other.add([.setCookie: "AuthSession=renewed"])
        #expect(other.headers[values: .setCookie] == ["AuthSession=renewed"])
    }
}
