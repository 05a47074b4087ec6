internal import HTTPTypes
internal import SetteeCouchProtocol
internal import Testing

@testable internal import SetteeListener

@Suite struct SecrecyTests {
    /// Whatever a client sends, it comes back in no error and goes into no log.
    @Test func nothingThatWasSentIsTold() async throws {
        let file = try UsersFile([try UsersFile.entry("ida", "Zq-right")])
        let rules = try TokenRules(keys: [.hs256(secret: [UInt8](repeating: 0x5A, count: 32))])
        let fixture = PolicyFixture(try .file(file.path)) { configuration in
            configuration.tokens = rules
            configuration.isReadOnly = true
        }
        let cookie = try await fixture.cookie("ida", "Zq-right")
        let requests: [AccessRequest] = [
            .basic("ida", "Zq-wrong"), .basic("Zq-name", "Zq-wrong"), .basic("Zq-a\u{0}", "Zq-wrong"),
            .cookie("Zq-cookie"), .cookie(cookie + "Zq"), .make(.get, ["Authorization": "Bearer Zq-token.Zq.Zq"]),
            .make(.get, ["Authorization": "Zq-scheme Zq"]), .make(.put, ["Origin": "http://Zq.example"]),
            .make(host: "Zq example"), .cookie(cookie, .put), .basic("ida", "Zq-right", .put),
        ]
        var told: [String] = []
        for request in requests {
            guard case .failure(let refusal) = await fixture.decide(request, needs: .databaseWrite) else {
                Issue.record("A request was served.")
                continue
            }
            told.append("\(refusal.error) \(String(decoding: refusal.error.body, as: UTF8.self)) \(refusal.headers)")
        }
        let login = AccessRequest.make(.post, ["Content-Type": "application/json"])
        let access = try await fixture.policy.decide(login, needs: .open)
        for body in [#"{"name":"Zq","password":"Zq"}"#, #"{"Zq":1}"#, "Zq", #"{"name":"ida","password":"Zq"}"#] {
            do throws(AccessRefusal) {
                _ = try await fixture.policy.logIn(body: Array(body.utf8), login, access)
                Issue.record("A login was taken.")
            } catch {
                told.append("\(error.error) \(error.headers)")
            }
        }
        try file.write([#"{"name":"Zq-damaged"}"#])
        guard case .failure(let refusal) = await fixture.decide(.basic("ida", "Zq-right")) else {
            Issue.record("A damaged file was used.")
            return
        }
        told.append("\(refusal.error)")
        #expect(told.count == requests.count + 5)
        for text in told { #expect(!text.contains("Zq") && !text.contains(cookie), "\(text)") }
        #expect(fixture.logged.contains("A login with a wrong name or password was refused."))
        #expect(fixture.logged.contains("Line 1 of the users' file"))
        #expect(!fixture.logged.contains("Zq") && !fixture.logged.contains(cookie))
    }

    /// What is kept of a password is neither it nor a hash that others could compute.
    @Test func passwordsAreNotKept() async {
        let fixture = PolicyFixture()
        #expect(await fixture.status(.basic("ida", PolicyFixture.ida)) == 200)
        var dumped = ""
        dump(fixture.policy, to: &dumped)
        #expect(dumped.contains("AccessPolicy") && !dumped.contains(PolicyFixture.ida))
    }
}
