internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

@Suite struct SessionTests {
    @Test func aCookieLogsIn() async throws {
        let fixture = PolicyFixture()
        let cookie = try await fixture.cookie()
        let access = try await fixture.policy.decide(.cookie(cookie), needs: .databaseWrite)
        #expect(access.user == UserContext(name: "ida", roles: ["writer"]) && access.method == .cookie)
        #expect(access.headers[.setCookie] == nil)
        // Beside other cookies, in one header or in several.
        for header in ["a=b; AuthSession=\(cookie)", "AuthSession=\(cookie) ;a=b", " AuthSession=\(cookie);"] {
            #expect(await fixture.status(.make(.get, ["Cookie": header])) == 200)
        }
        #expect(await fixture.status(.make(.get, ["Cookie": "a=b", "cookie": "AuthSession=\(cookie)"])) == 200)
        #expect(await fixture.status(.make(.get, ["Cookie": "XAuthSession=\(cookie)"])) == 401)
        #expect(await fixture.status(.make(.get, ["Cookie": "authsession=\(cookie)"])) == 401)
    }

    /// A client that follows a feed with a cookie would otherwise get 401 after a restart, and end.
    @Test func survivesARestartWithTheSameSecret() async throws {
        let folder = try UsersFile()
        let path = folder.folder + "/secret"
        let secret = try AccessConfiguration.sessionSecret(inFile: path)
        #expect(secret.count == 32)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let cookie = try await PolicyFixture { $0.sessionSecret = secret }.cookie()
        let again = try AccessConfiguration.sessionSecret(inFile: path)
        #expect(await PolicyFixture { $0.sessionSecret = again }.status(.cookie(cookie)) == 200)
        #expect(await PolicyFixture().status(.cookie(cookie)) == 401)
        // A new password ends the session all the same.
        let users = ListenerUsers.table(["ida": .init(password: "another word", roles: ["writer"])])
        #expect(await PolicyFixture(users) { $0.sessionSecret = again }.status(.cookie(cookie)) == 401)
    }

    @Test func aSecretThatIsNoneIsRefused() throws {
        let folder = try UsersFile()
        for (bytes, mode) in [(31, 0o600), (33, 0o600), (0, 0o600), (32, 0o640)] {
            try folder.write(bytes: [UInt8](repeating: 7, count: bytes), mode: mode)
            #expect(throws: StorageError.self, "\(bytes) bytes, \(mode)") {
                try AccessConfiguration.sessionSecret(inFile: folder.path)
            }
        }
        var configuration = AccessConfiguration()
        configuration.sessionSecret = [UInt8](repeating: 7, count: 31)
        #expect(throws: StorageError.self) { try configuration.check(address: "127.0.0.1") }
    }

    @Test func endsAfterTenMinutes() async throws {
        let fixture = PolicyFixture()
        let cookie = try await fixture.cookie()
        fixture.clock.advance(599)
        #expect(await fixture.status(.cookie(cookie)) == 200)
        fixture.clock.advance(1)
        #expect(await fixture.status(.cookie(cookie)) == 401)
        // It does not keep anybody from a new login.
        let access = try await fixture.policy.decide(.cookie(cookie, .post), needs: .open)
        #expect(access.user == .nobody && access.method == nil)
    }

    @Test func isRenewedWhenHalfItsTimeHasPassed() async throws {
        let fixture = PolicyFixture()
        var cookie = try await fixture.cookie()
        fixture.clock.advance(299)
        #expect(try await fixture.policy.decide(.cookie(cookie), needs: .serverRead).headers[.setCookie] == nil)
        var renewals = 0
        for _ in 0..<400 {
            fixture.clock.advance(300)
            guard case .success(let access) = await fixture.decide(.cookie(cookie)) else { break }
            guard let header = access.headers[.setCookie] else { continue }
            #expect(header.hasSuffix("; Path=/; Max-Age=600; HttpOnly; SameSite=Strict"))
            cookie = PolicyFixture.value(ofCookie: header)
            renewals += 1
        }
        // A day after the login there is no new one.
        #expect(renewals == 287)
        #expect(await fixture.status(.cookie(cookie)) == 401)
    }

    /// Somebody who only gets refusals is there all the same.
    @Test func isRenewedByRefusalsToo() async throws {
        let fixture = PolicyFixture()
        let cookie = try await fixture.cookie()
        fixture.clock.advance(300)
        guard case .failure(let refusal) = await fixture.decide(.cookie(cookie), needs: .serverAdmin) else {
            Issue.record("A writer administers the server.")
            return
        }
        let renewed = PolicyFixture.value(ofCookie: refusal.headers[.setCookie] ?? "")
        fixture.clock.advance(599)
        #expect(await fixture.status(.cookie(renewed)) == 200)
        #expect(await fixture.status(.cookie(cookie)) == 401)
    }

    @Test func aCookieOfTheFutureIsNone() async throws {
        let fixture = PolicyFixture()
        let cookie = try await fixture.cookie()
        fixture.clock.advance(-59)
        #expect(await fixture.status(.cookie(cookie)) == 200)
        fixture.clock.advance(-1)
        #expect(await fixture.status(.cookie(cookie)) == 401)
    }

    @Test func foreignCookiesAreRefused() async throws {
        let cookie = try await PolicyFixture().cookie()
        #expect(await PolicyFixture().status(.cookie(cookie)) == 401, "another process's cookie is good here")
        let fixture = PolicyFixture()
        let other = SessionSigner()
        let ticket = SessionTicket(
            user: UserContext(name: "ada", roles: ["admin"]),
            began: fixture.clock.wall,
            issued: fixture.clock.wall
        )
        let salt = try fixture.policy.passwords.cookieFacts(of: "ada")?.salt ?? []
        #expect(await fixture.status(.cookie(try #require(other.value(ticket, salt: salt)))) == 401)
        // The same ticket by the right signer is good, so that the signature was what failed.
        #expect(await fixture.status(.cookie(try #require(fixture.policy.signer.value(ticket, salt: salt)))) == 200)
        #expect(await fixture.status(.cookie(try #require(fixture.policy.signer.value(ticket, salt: [])))) == 401)
    }

    @Test func everyChangedByteIsSeen() async throws {
        let fixture = PolicyFixture()
        let cookie = Array(try await fixture.cookie().utf8)
        // The last characters of both parts have bits that base64 does not use.
        for place in cookie.indices {
            for letter in "Aaz0-_.".utf8 where letter != cookie[place] {
                var changed = cookie
                changed[place] = letter
                let text = String(decoding: changed, as: UTF8.self)
                guard case .success(let access) = await fixture.decide(.cookie(text)) else { continue }
                #expect(place == cookie.count - 1 && access.user.name == "ida", "byte \(place)")
            }
        }
        for count in 0..<cookie.count {
            let text = String(decoding: cookie[..<count], as: UTF8.self)
            #expect(await fixture.status(.cookie(text)) == 401)
        }
    }

    @Test func anotherNameOrRoleNeedsAnotherSignature() async throws {
        let fixture = PolicyFixture()
        let parts = try await fixture.cookie().split(separator: ".")
        let forged = SessionTicket(
            user: UserContext(name: "ada", roles: ["_admin"]),
            began: fixture.clock.wall,
            issued: fixture.clock.wall
        )
        let text = Base64URL.encode(forged.json)
        #expect(await fixture.status(.cookie("\(text).\(parts[1])")) == 401)
        let plain = SHA256.hash(data: Array(text.utf8))
        #expect(await fixture.status(.cookie("\(text).\(Base64URL.encode(plain))")) == 401)
        for key in [[], [0], Array("secret".utf8)] as [[UInt8]] {
            let code = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: key))
            #expect(await fixture.status(.cookie("\(text).\(Base64URL.encode(code))")) == 401)
        }
    }

    @Test(
        arguments: [
            ".", "..", "a", "a.b", "=", "e30.", ".e30", "e30.e30", "bnVsbA.AAAA", String(repeating: "A", count: 5_000),
            String(repeating: "A", count: 3_000) + "." + String(repeating: "A", count: 43),
        ]
    )
    func junkIsRefused(value: String) async {
        let fixture = PolicyFixture()
        #expect(await fixture.status(.cookie(value)) == 401)
        #expect(await fixture.status(.cookie(value), needs: .open) == 200)
    }

    @Test(arguments: 0..<10) func survivesAnyCookie(seed: UInt64) async {
        var generator = SeededGenerator(seed: seed)
        let fixture = PolicyFixture()
        let letters = Array("AuthSession=;. e30{}\":".utf8)
        for _ in 0..<100 {
            let bytes = (0..<generator.below(60)).map { _ in letters[generator.below(letters.count)] }
            let status = await fixture.status(.make(.get, ["Cookie": String(decoding: bytes, as: UTF8.self)]))
            #expect(status == 401, "seed \(seed)")
        }
    }

    @Test func tickets() {
        for json in [
            "", "[]", "{}", #"{"name":1,"roles":[],"began":1,"issued":1}"#,
            #"{"name":"a","roles":[],"began":2,"issued":1}"#, #"{"name":"a","roles":[],"began":-1,"issued":1}"#,
            #"{"name":"a","roles":[],"began":-9223372036854775808,"issued":-9223372036854775808}"#,
            #"{"name":"a","roles":[],"began":1e300,"issued":1e300}"#,
        ] {
            #expect(SessionTicket(json: Array(json.utf8)) == nil)
        }
        let ticket = SessionTicket(user: UserContext(name: "a\"\u{e9}", roles: ["b", "c"]), began: 5, issued: 7)
        #expect(SessionTicket(json: ticket.json) == ticket)
    }

    /// A page of another host on the same site may set a second cookie of that name.
    @Test func twoCookiesAreNone() async throws {
        let fixture = PolicyFixture()
        let ida = try await fixture.cookie()
        let rob = try await fixture.cookie("rob", "rob's word")
        #expect(await fixture.status(.make(.get, ["Cookie": "AuthSession=\(ida); AuthSession=\(rob)"])) == 401)
    }

    @Test func anotherPasswordEndsTheSession() async throws {
        let entry = try UsersFile.entry("ida", "old")
        let file = try UsersFile([entry])
        let fixture = PolicyFixture(try .file(file.path))
        let cookie = try await fixture.cookie("ida", "old")
        #expect(await fixture.status(.cookie(cookie)) == 200)
        // Roles are those of the file.
        try file.write([entry.replacing("\"writer\"", with: "\"reader\"")])
        #expect(await fixture.status(.cookie(cookie), needs: .databaseWrite) == 403)
        #expect(await fixture.status(.cookie(cookie), needs: .databaseRead) == 200)
        // The same password with another salt is another entry.
        try file.write([try UsersFile.entry("ida", "old")])
        #expect(await fixture.status(.cookie(cookie)) == 401)
        try file.write([entry])
        #expect(await fixture.status(.cookie(cookie)) == 200)
        try file.write([])
        #expect(await fixture.status(.cookie(cookie)) == 401)
    }

    /// A closure tells roles at the login only, so that the cookie has them.
    @Test func cookiesOfClosuresHaveTheRoles() async throws {
        let fixture = PolicyFixture(.checked { _, _ in ["reader", "sales"] })
        let access = try await fixture.policy.decide(.cookie(try await fixture.cookie()), needs: .serverRead)
        #expect(access.user == UserContext(name: "ida", roles: ["reader", "sales"]))
        let long = PolicyFixture(
            .checked { _, _ in (0..<100).map { "role-\($0)-" + String(repeating: "x", count: 40) } }
        )
        await #expect(throws: AccessRefusal.self) { try await long.cookie() }
    }

    /// The header that somebody has just typed counts more than an old cookie.
    @Test func authorizationComesBeforeCookies() async throws {
        let fixture = PolicyFixture()
        let cookie = try await fixture.cookie()
        let basic = try #require(AccessRequest.basic("rob", "rob's word").headers[.authorization])
        let both = AccessRequest.make(.get, ["Cookie": "AuthSession=\(cookie)", "Authorization": basic])
        #expect(try await fixture.policy.decide(both, needs: .serverRead).user.name == "rob")
    }
}
