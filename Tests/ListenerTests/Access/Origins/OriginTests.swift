internal import HTTPTypes
internal import SetteeCouchProtocol
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

@Suite struct OriginTests {
    static let changing: [HTTPRequest.Method] = [
        .post, .put, .delete, .patch, .init("COPY") ?? .put, .init("PROPFIND") ?? .put, .connect, .trace,
    ]

    private static let own = [
        "http://localhost:5984", "HTTP://LOCALHOST:5984", "http://localhost.:5984",
    ]

    static let foreign = [
        "null", "", "http://evil.com", "https://localhost:5984", "http://localhost", "http://localhost:80",
        "http://localhost:5985", "http://127.0.0.1:5984", "http://localhost:5984.evil.com",
        "http://localhost.evil.com:5984",
        "http://localhost:5984@evil.com", "http://evil.com#localhost:5984", "http://localhost:5984/",
        "http://localhost:5984 x",
        "localhost:5984", "//localhost:5984", "file://", "ws://localhost:5984", "chrome-extension://localhost:5984",
        "http://user@localhost:5984", "*", "http://localhost:5984,http://evil.com", "http://", "http:/localhost:5984",
    ]

    @Test(arguments: own) func ownPagesMayChange(origin: String) async {
        let fixture = PolicyFixture(.none)
        for method in Self.changing { #expect(await fixture.status(.make(method, ["Origin": origin])) == 200) }
    }

    /// A page elsewhere whose form or script sends something here.
    @Test(arguments: foreign) func foreignPagesChangeNothing(origin: String) async throws {
        let fixture = PolicyFixture(.none)
        for method in Self.changing {
            #expect(await fixture.status(.make(method, ["Origin": origin])) == 403)
            #expect(await fixture.status(.make(method, ["Origin": origin]), needs: .open) == 403)
        }
        for method in [HTTPRequest.Method.get, .head, .options] {
            let access = try await fixture.policy.decide(.make(method, ["Origin": origin]), needs: .serverRead)
            #expect(access.headers.isEmpty)
        }
        // Nor with a login that the browser adds.
        let users = PolicyFixture()
        let cookie = try await users.cookie()
        let request = AccessRequest.make(.put, ["Origin": origin, "Cookie": "AuthSession=\(cookie)"])
        #expect(await users.status(request, needs: .databaseWrite) == 403)
    }

    @Test func portsAndSchemesCount() async {
        let fixture = PolicyFixture(.none)
        let cases: [(origin: String, host: String, isSecure: Bool, status: Int)] = [
            ("http://localhost", "localhost", false, 200), ("http://localhost:80", "localhost", false, 200),
            ("http://localhost", "localhost:80", false, 200), ("https://localhost", "localhost", true, 200),
            ("https://localhost:443", "localhost", true, 200), ("http://localhost", "localhost", true, 403),
            ("https://localhost", "localhost", false, 403), ("http://localhost:443", "localhost:443", true, 403),
            ("http://[::1]:1", "[0:0::1]:1", false, 200), ("http://[::1]", "127.0.0.1", false, 403),
        ]
        for (origin, host, isSecure, status) in cases {
            let request = AccessRequest.make(.put, ["Origin": origin], host: host, isSecure: isSecure)
            #expect(await fixture.status(request) == status, "\(origin) at \(host)")
        }
        let two: KeyValuePairs = ["Origin": "http://localhost:5984", "origin": "http://localhost:5984"]
        #expect(await fixture.status(.make(.put, two)) == 403)
    }

    @Test(
        arguments: [
            ("cross-site", 403), ("same-site", 403), ("", 403), ("Same-Origin", 403), ("same-origin", 200),
            ("none", 200),
        ]
    )
    func withoutOriginTheSiteCounts(site: String, status: Int) async {
        let fixture = PolicyFixture(.none)
        #expect(await fixture.status(.make(.post, ["Sec-Fetch-Site": site])) == status)
        #expect(await fixture.status(.make(.get, ["Sec-Fetch-Site": site])) == 200)
        let both: KeyValuePairs = ["Sec-Fetch-Site": "same-origin", "sec-fetch-site": site]
        #expect(await fixture.status(.make(.post, both)) == status)
    }

    @Test func programsNeedNoOrigin() async {
        for method in Self.changing { #expect(await PolicyFixture(.none).status(.make(method)) == 200) }
    }

    @Test(
        arguments: [
            ("application/json", 200), ("Application/JSON", 200), ("application/json; charset=utf-8", 200),
            ("application/json;", 200), ("text/plain", 415), ("text/plain; application/json", 415), ("", 415),
            ("application/x-www-form-urlencoded", 415), ("multipart/form-data; boundary=x", 415),
            ("application/json, text/plain", 415), ("text/json", 415), ("application/jsonp", 415),
        ]
    )
    func jsonMustSaySo(type: String, status: Int) {
        let headers = AccessRequest.make(.post, ["Content-Type": type]).headers
        let outcome = { (headers: HTTPFields, mayBeMissing: Bool) -> Int in
            do throws(CouchError) {
                try ContentTypes.requireJSON(headers, mayBeMissing: mayBeMissing)
                return 200
            } catch {
                return error == .notJSON ? 415 : 0
            }
        }
        #expect(outcome(headers, false) == status && outcome(headers, true) == status)
        #expect(outcome([:], false) == 415 && outcome([:], true) == 200)
        let two = AccessRequest.make(.post, ["Content-Type": "application/json", "content-type": type]).headers
        #expect(outcome(two, true) == 415)
    }
}
