internal import HTTPTypes
internal import SetteeCouchProtocol
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

@Suite struct CrossOriginTests {
    private static let app = "https://app.example:8443"

    private func fixture(
        _ rules: CrossOriginRules,
        users: ListenerUsers = PolicyFixture.table
    ) -> PolicyFixture { PolicyFixture(users) { $0.crossOrigin = rules } }

    private func preflight(
        _ fixture: PolicyFixture,
        _ origin: String = app,
        method: String = "PUT"
    ) throws -> HTTPFields? {
        try fixture.policy.preflight(
            .make(.options, ["Origin": origin, "Access-Control-Request-Method": method])
        )
    }

    @Test func isOffByDefault() async throws {
        let fixture = PolicyFixture()
        #expect(try preflight(fixture) == nil)
        let access = try await fixture.policy.decide(.basic("rob", "rob's word"), needs: .serverRead)
        #expect(access.headers.isEmpty)
    }

    /// Without a word about credentials, as `settee serve --cors` has them: PouchDB asks with `credentials: include`.
    @Test func namedOriginsReadAndWrite() async throws {
        let fixture = fixture(try .origins([Self.app]), users: .none)
        for method in OriginTests.changing + [.get] {
            let access = try await fixture.policy.decide(.make(method, ["Origin": Self.app]), needs: .serverAdmin)
            #expect(access.headers[.accessControlAllowOrigin] == Self.app)
            #expect(access.headers[.accessControlAllowCredentials] == "true")
            #expect(access.headers[.vary] == "Origin")
            #expect(access.headers[.accessControlExposeHeaders]?.contains("etag") == true)
        }
        let headers = try #require(try preflight(fixture))
        #expect(headers[.accessControlAllowOrigin] == Self.app && headers[.accessControlAllowCredentials] == "true")
        #expect(headers[.accessControlAllowMethods] == "GET, HEAD, POST, PUT, DELETE, COPY, OPTIONS")
        #expect(headers[.accessControlAllowHeaders]?.contains("authorization") == true)
        #expect(headers[.accessControlMaxAge] == "600" && headers[.vary] == "Origin")
    }

    @Test(
        arguments: [
            "https://app.example", "http://app.example:8443", "https://evil.app.example:8443",
            "https://app.example:8443.evil.com", "https://app.example.evil.com:8443", "https://xapp.example:8443",
            "https://app.example:8443@evil.com", "null", "*", "",
        ]
    )
    func othersDoNot(origin: String) async throws {
        let fixture = fixture(try .origins([Self.app], allowsCredentials: true))
        #expect(try preflight(fixture, origin) == [.vary: "Origin"])
        let credentials = try #require(AccessRequest.basic("ada", "ada's word").headers[.authorization])
        let get = AccessRequest.make(.get, ["Origin": origin, "Authorization": credentials])
        #expect(try await fixture.policy.decide(get, needs: .serverRead).headers == [.vary: "Origin"])
        let put = AccessRequest.make(.put, ["Origin": origin, "Authorization": credentials])
        #expect(await fixture.status(put, needs: .databaseWrite) == 403)
    }

    @Test func anyOriginNeverComesWithCredentials() async throws {
        let fixture = fixture(.anyOrigin)
        let headers = try #require(try preflight(fixture, "https://any.example"))
        #expect(headers[.accessControlAllowOrigin] == "*" && headers[.accessControlAllowCredentials] == nil)
        let credentials = try #require(AccessRequest.basic("ida", PolicyFixture.ida).headers[.authorization])
        let put = AccessRequest.make(.put, ["Origin": "https://any.example", "Authorization": credentials])
        let access = try await fixture.policy.decide(put, needs: .databaseWrite)
        #expect(access.headers[.accessControlAllowOrigin] == "*")
        #expect(access.headers[.accessControlAllowCredentials] == nil)
    }

    /// Without these headers a page could not read why it is refused.
    @Test func refusalsHaveTheHeaders() async throws {
        let fixture = fixture(try .origins([Self.app]))
        guard case .failure(let refusal) = await fixture.decide(.make(.get, ["Origin": Self.app])) else {
            Issue.record("The request was served.")
            return
        }
        #expect(refusal.error.status == 401 && refusal.headers[.accessControlAllowOrigin] == Self.app)
        #expect(refusal.headers[.accessControlAllowCredentials] == "true" && refusal.headers[.vary] == "Origin")
        // It would make the browser show its dialogue, for which the page would wait.
        #expect(refusal.headers[.wwwAuthenticate] == nil)
        guard case .failure(let other) = await fixture.decide(.make(.get, ["Origin": "http://evil.com"])) else {
            Issue.record("The request was served.")
            return
        }
        #expect(other.headers[.accessControlAllowOrigin] == nil && other.headers[.vary] == "Origin")
    }

    /// Also answers for the listener's own pages vary, or a cache would give them to others.
    @Test func allAnswersVary() async throws {
        let fixture = fixture(try .origins([Self.app]))
        for headers in [[:], ["Origin": "http://localhost:5984"]] as [KeyValuePairs<String, String>] {
            #expect(try await fixture.policy.decide(.make(.get, headers), needs: .open).headers == [.vary: "Origin"])
        }
    }

    @Test func onlyPreflightsAreAnswered() throws {
        let fixture = fixture(try .origins([Self.app]))
        #expect(try fixture.policy.preflight(.make(.options, ["Origin": Self.app])) == nil)
        #expect(try fixture.policy.preflight(.make(.options, ["Access-Control-Request-Method": "PUT"])) == nil)
        let get = AccessRequest.make(.get, ["Origin": Self.app, "Access-Control-Request-Method": "PUT"])
        #expect(try fixture.policy.preflight(get) == nil)
        for method in ["PATCH", "put", "", "PUT, GET", "TRACE"] {
            #expect(try preflight(fixture, method: method) == [.vary: "Origin"])
        }
        let rebound = AccessRequest.make(
            .options,
            ["Origin": Self.app, "Access-Control-Request-Method": "PUT"],
            host: "evil.com"
        )
        let open = self.fixture(try .origins([Self.app]), users: .none)
        #expect(throws: AccessRefusal.self) { try open.policy.preflight(rebound) }
    }

    @Test(arguments: ["*", "", "null", "app.example", "https://app.example/", "https://*.example", "ftp://app.example"])
    func refusesSettings(origin: String) throws {
        let error = #expect(throws: StorageError.self) { try CrossOriginRules.origins([origin]) }
        #expect(error?.code == .badParameter)
    }

    @Test func originsAreReadAsBrowsersDo() throws {
        let rules = try CrossOriginRules.origins(["HTTPS://App.Example", "http://[::1]:3000"])
        #expect(rules.allows("https://app.example") && rules.allows("https://app.example:443"))
        #expect(rules.allows("http://[0:0::1]:3000") && !rules.allows("http://app.example"))
    }
}
