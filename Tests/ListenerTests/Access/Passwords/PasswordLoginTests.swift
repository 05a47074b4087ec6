internal import HTTPTypes
internal import Logging
internal import SetteeCouchProtocol
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// What logins cost is counted in runs of scrypt, not in time.
@Suite struct PasswordLoginTests {
    @Test func aRightPasswordIsRememberedForAMinute() async throws {
        let file = try UsersFile([try UsersFile.entry("ida", "word")])
        let fixture = PolicyFixture(try .file(file.path))
        let pool = fixture.policy.passwords.pool
        for _ in 0..<10 { #expect(await fixture.status(.basic("ida", "word")) == 200) }
        #expect(pool.runs == 1)
        fixture.clock.advance(59)
        #expect(await fixture.status(.basic("ida", "word")) == 200)
        #expect(pool.runs == 1)
        // Use does not prolong it.
        fixture.clock.advance(1)
        #expect(await fixture.status(.basic("ida", "word")) == 200)
        #expect(pool.runs == 2)
    }

    @Test func unknownNamesCostAsMuchAsWrongPasswords() async throws {
        let dear = try PasswordEntry(
            name: "rob",
            password: "b",
            roles: [],
            parameters: try #require(ScryptParameters(rounds: 2_048, blockSize: 8, parallelism: 2))
        )
        let file = try UsersFile([try UsersFile.entry("ida", "word"), dear.line])
        let fixture = PolicyFixture(try .file(file.path))
        let pool = fixture.policy.passwords.pool
        #expect(await fixture.status(.basic("rob", "other")) == 401)
        #expect(pool.runs == 1)
        #expect(await fixture.status(.basic("nobody", "other")) == 401)
        #expect(pool.runs == 2)
        let users = ListenerUsers.Source.file(PasswordFile(file.path))
        #expect(try PasswordProof(of: "nobody", in: users).parameters == dear.parameters)
        // A file without users tells no more.
        try file.write([])
        #expect(await fixture.status(.basic("ida", "word")) == 401)
        #expect(pool.runs == 3)
    }

    /// A browser opens six connections at once.
    @Test func theSameLoginIsVerifiedOnce() async throws {
        let file = try UsersFile([try UsersFile.entry("ida", "word")])
        let pool = ScryptPool(limit: 1, longestQueue: 1)
        let fixture = PolicyFixture(try .file(file.path), pool: pool)
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { await fixture.status(.basic("ida", "word")) } }
            // Had each been verified, the queue would have refused most of them.
            for await status in group { #expect(status == 200) }
        }
        #expect(pool.runs == 1)
    }

    @Test func failuresSlowDown() async throws {
        let fixture = PolicyFixture()
        for _ in 0..<8 { #expect(await fixture.status(.basic("ida", "wrong")) == 401) }
        #expect(fixture.clock.delays == [100, 200, 400, 800, 1_600, 2_000, 2_000].map { .milliseconds($0) })
        // The right one waits as well, and then the name is free again; the address is not.
        #expect(await fixture.status(.basic("ida", PolicyFixture.ida)) == 200)
        #expect(fixture.clock.delays.last == .seconds(2))
        let count = fixture.clock.delays.count
        #expect(await fixture.status(.basic("ida", PolicyFixture.ida)) == 200)
        #expect(fixture.clock.delays.count == count, "a remembered password waits")
        #expect(fixture.policy.passwords.names.delay("ida") == .zero)
        #expect(fixture.policy.passwords.addresses.delay("127.0.0.1") == .seconds(2))
        fixture.clock.advance(300)
        #expect(fixture.policy.passwords.addresses.delay("127.0.0.1") == .zero)
    }

    @Test func failuresCountForNamesAndAddresses() async {
        let fixture = PolicyFixture()
        #expect(await fixture.status(.basic("ida", "wrong", from: "10.0.0.1")) == 401)
        #expect(await fixture.status(.basic("ida", "wrong", from: "10.0.0.2")) == 401)
        #expect(fixture.clock.delays == [.milliseconds(100)])
        #expect(await fixture.status(.basic("rob", "wrong", from: "10.0.0.1")) == 401)
        #expect(fixture.clock.delays == [.milliseconds(100), .milliseconds(100)])
        #expect(await fixture.status(.basic("ada", "wrong", from: "10.0.0.3")) == 401)
        #expect(fixture.clock.delays.count == 2)
    }

    @Test(
        arguments: [
            ("10.0.0.1", "10.0.0.1"), ("::ffff:10.0.0.1", "10.0.0.1"), ("fe80::1%eth0", "fe80::2"),
            ("2001:db8::1", "2001:db8:0:0:ffff::9"), ("/run/socket", "/run/socket"),
        ]
    )
    func addressesOfOneOwnerAreOne(first: String, second: String) {
        #expect(AddressGroup(first).text == AddressGroup(second).text)
    }

    @Test func otherAddressesAreOthers() {
        #expect(AddressGroup("10.0.0.1").text != AddressGroup("10.0.0.2").text)
        #expect(AddressGroup("2001:db8::1").text != AddressGroup("2001:db8:0:1::1").text)
        #expect(AddressGroup("").text == "" && AddressGroup("a\u{0}b").text == "a\u{0}b")
        #expect(AddressGroup(String(repeating: "x", count: 1_000)).text.string.utf8.count == 64)
    }

    @Test func failuresAreBounded() {
        let clock = TestClock()
        let table = FailureTable(uptime: clock.clock.uptime)
        for _ in 0..<3 { table.fail("first") }
        for number in 0..<5_000 {
            clock.advance(number % 500 == 0 ? 1 : 0)
            table.fail(TargetText("name \(number)"))
            #expect(table.count <= 4_096)
        }
        #expect(table.count == 4_096)
        #expect(table.delay("name 4999") == .milliseconds(100))
        #expect(table.delay("first") == .zero, "the oldest stays when there are too many")
        clock.advance(300)
        table.fail("next")
        #expect(table.count == 1 && table.delay("name 4999") == .zero)
        for _ in 0..<100 { table.fail("next") }
        #expect(table.delay("next") == .seconds(2))
    }

    @Test func rememberedPasswordsAreBounded() {
        let clock = TestClock()
        let memory = PasswordMemory(uptime: clock.clock.uptime)
        for number in 0..<1_500 {
            if number == 1 { clock.advance(1) }
            memory.remember(memory.tag("u\(number)", "a", []), roles: [])
            #expect(memory.count <= 1_000)
        }
        #expect(memory.roles(memory.tag("u0", "a", [])) == nil)
        #expect(memory.roles(memory.tag("u1499", "a", [])) == [])
        // Borders between the parts count.
        #expect(memory.tag("ab", "c", []) != memory.tag("a", "bc", []))
        #expect(memory.tag("a", "b", [99]) != memory.tag("a", "bc", []))
        // Nobody can compute them elsewhere.
        #expect(PasswordMemory(uptime: clock.clock.uptime).tag("a", "b", []) != memory.tag("a", "b", []))
    }

    @Test func anotherPasswordCountsAtOnce() async throws {
        let file = try UsersFile([try UsersFile.entry("ida", "old")])
        let fixture = PolicyFixture(try .file(file.path))
        #expect(await fixture.status(.basic("ida", "old")) == 200)
        try file.write([try UsersFile.entry("ida", "new")])
        #expect(await fixture.status(.basic("ida", "old")) == 401)
        #expect(await fixture.status(.basic("ida", "new")) == 200)
        // Roles come from the file, not from what is remembered.
        #expect(await fixture.status(.basic("ida", "new"), needs: .serverAdmin) == 403)
        let entry = try UsersFile.entry("ida", "new")
        try file.write([entry.replacing("\"writer\"", with: "\"admin\"")])
        #expect(await fixture.status(.basic("ida", "new"), needs: .serverAdmin) == 200)
    }

    @Test func aBadFileLetsNobodyIn() async throws {
        let file = try UsersFile([try UsersFile.entry("ida", "word")])
        let fixture = PolicyFixture(try .file(file.path))
        #expect(await fixture.status(.basic("ida", "word")) == 200)
        try file.write(["{"])
        #expect(await fixture.status(.basic("ida", "word")) == 500)
        #expect(fixture.logged.contains("is no entry within the limits"))
        try file.write([try UsersFile.entry("ida", "word")], mode: 0o644)
        #expect(await fixture.status(.basic("ida", "word")) == 500)
        #expect(fixture.logged.contains("chmod 600"))
    }

    @Test func closuresAreAskedOnceAMinute() async {
        let calls = CallCounter()
        let fixture = PolicyFixture(
            .checked { name, password in
                calls.add()
                return name == "ida" && password == "word" ? ["reader"] : nil
            }
        )
        for _ in 0..<5 { #expect(await fixture.status(.basic("ida", "word")) == 200) }
        #expect(calls.count == 1)
        #expect(await fixture.status(.basic("ida", "other")) == 401)
        #expect(await fixture.status(.basic("rob", "word")) == 401)
        #expect(calls.count == 3)
        fixture.clock.advance(60)
        #expect(await fixture.status(.basic("ida", "word")) == 200)
        #expect(calls.count == 4)
    }

    @Test func tooManyLoginsAreToldToWait() async throws {
        let file = try UsersFile([try UsersFile.entry("ida", "word")])
        let pool = ScryptPool(limit: 0, longestQueue: 0)
        let fixture = PolicyFixture(try .file(file.path), pool: pool)
        guard case .failure(let refusal) = await fixture.decide(.basic("ida", "word")) else {
            Issue.record("The login was verified.")
            return
        }
        #expect(refusal.error == .unavailable && refusal.headers[.retryAfter] == "2")
        #expect(fixture.policy.passwords.names.count == 0, "a login that was not verified is no failure")
    }

    @Test(
        arguments: [
            "Basic", "Basic ", "Basic !!!!", "Basic aWRh", "Basic /////w==", "basic", "Digest x", "Bearer", "Bearer x",
            "", " ", "Basic " + String(repeating: "QUFB", count: 2_000), "Basic OndvcmQ=", "Basic aWRhOg==",
        ]
    )
    func otherCredentialsAreRefused(header: String) async {
        let fixture = PolicyFixture()
        #expect(await fixture.status(.make(.get, ["Authorization": header])) == 401)
        #expect(await fixture.status(.make(.get, ["Authorization": header]), needs: .open) == 401)
    }

    @Test func schemesAreReadInAnyCaseAndOnlyOnce() async {
        let fixture = PolicyFixture()
        // ida:correct horse 7
        let credentials = "aWRhOmNvcnJlY3QgaG9yc2UgNw=="
        for scheme in ["Basic", "basic", "BASIC"] {
            #expect(await fixture.status(.make(.get, ["Authorization": "\(scheme) \(credentials)"])) == 200)
        }
        let twice = AccessRequest.make(
            .get,
            ["Authorization": "Basic \(credentials)", "authorization": "Basic \(credentials)"]
        )
        #expect(await fixture.status(twice) == 401)
    }

    /// A password may have colons and any characters.
    @Test func passwordsMayHoldAnything() async {
        let fixture = PolicyFixture(.table(["ida": .init(password: "a:b:\u{1F40E}", roles: ["reader"])]))
        #expect(await fixture.status(.basic("ida", "a:b:\u{1F40E}")) == 200)
        #expect(await fixture.status(.basic("ida", "a")) == 401)
    }
}

/// A counter that closures share.
private final class CallCounter: Sendable {
    private let value = Locked(0)
    func add() { value.withLock { $0 += 1 } }
    var count: Int { value.withLock { $0 } }
}
