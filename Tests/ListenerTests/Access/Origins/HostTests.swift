internal import HTTPTypes
internal import SetteeCouchProtocol
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

@Suite struct HostTests {
    static let loopback = [
        "localhost", "localhost:5984", "LOCALHOST", "LocalHost:1", "localhost.", "localhost.:5984", "127.0.0.1",
        "127.0.0.1:65535", "127.255.255.254", "127.1.2.3:80", "[::1]", "[::1]:5984", "[0:0:0:0:0:0:0:1]",
        "[0000:0000:0000:0000:0000:0000:0000:0001]:80", "[::0001]",
    ]

    static let foreign = [
        "localhost.evil.com", "evil.com", "evil.com:5984", "localhost.localdomain", "mylocalhost", "localhost1",
        "127.0.0.1.evil.com", "127.0.0.1.nip.io", "a.localhost", "0.0.0.0", "10.0.0.1", "128.0.0.1", "126.0.0.1",
        "[::]", "[::2]", "[::ffff:127.0.0.1]", "[fe80::1]", "xn--localhost-", "local_host", "3f2a9c",
    ]

    static let malformed = [
        "", " ", ":", ":80", "localhost:", "localhost:port", "localhost:65536", "localhost:99999", "localhost:-1",
        "localhost:+80", "localhost:0x50", "localhost:5984:1", "localhost:123456", "localhost@evil.com",
        "evil.com@localhost",
        "user:pass@localhost", "evil.com#localhost", "localhost/", "localhost/evil.com", "localhost\\evil.com",
        "localhost?a", "http://localhost", "localhost evil.com", " localhost", "localhost ", "localhost,evil.com",
        "localhost\t", "localhost\u{0}", "localhost\u{0}.evil.com", "..", ".", ".localhost", "localhost..",
        "127.0.0.1.", "127.1", "127.0.0.01", "0127.0.0.1", "0x7f.0.0.1", "0x7f000001", "2130706433", "127.0.0.256",
        "127.0.0", "127.0.0.1.1", "::1", "::1:80", "[::1", "::1]", "[::1]80", "[::1]:", "[::1%lo]", "[::1%25lo]", "[]",
        "[localhost]", "[127.0.0.1]", "[::1]]", "[[::1]]", "[::1\u{0}]", "loc\u{e4}lhost", "\u{FF4C}ocalhost",
        "localho\u{17F}t", "local%68ost", "*", String(repeating: "a", count: 256),
    ]

    @Test(arguments: loopback) func withoutUsersTheLoopbackIsServed(host: String) async {
        #expect(await PolicyFixture(.none).status(.make(host: host)) == 200)
    }

    /// DNS rebinding: the name of somebody's page that points to this machine.
    @Test(arguments: foreign) func withoutUsersOtherHostsAreRefused(host: String) async {
        let fixture = PolicyFixture(.none)
        #expect(await fixture.status(.make(host: host)) == 403)
        #expect(await fixture.status(.make(host: host), needs: .open) == 403)
        // With users, there is nothing without a login.
        #expect(await PolicyFixture().status(.basic("rob", "rob's word").naming(host)) == 200)
    }

    @Test(arguments: malformed) func malformedHostsAreRefused(host: String) async {
        #expect(await PolicyFixture(.none).status(.make(host: host)) == 400)
        #expect(await PolicyFixture().status(.basic("rob", "rob's word").naming(host)) == 400)
    }

    @Test func hostsMustBeThereAndAgree() async {
        let fixture = PolicyFixture(.none)
        #expect(await fixture.status(.make(host: nil)) == 400)
        #expect(await fixture.status(.make(.get, ["Host": "localhost"], host: nil)) == 200)
        #expect(await fixture.status(.make(.get, ["Host": "localhost"], host: "localhost")) == 200)
        #expect(await fixture.status(.make(.get, ["Host": "evil.com"], host: "localhost")) == 400)
        #expect(await fixture.status(.make(.get, ["Host": "localhost"], host: "evil.com")) == 400)
        #expect(await fixture.status(.make(.get, ["Host": "localhost", "host": "evil.com"], host: nil)) == 400)
    }

    @Test func namesMayBeAllowed() async {
        let fixture = PolicyFixture(.none) { $0.hosts = ["settee.local", "10.0.0.1"] }
        for host in ["settee.local", "SETTEE.local.:80", "10.0.0.1", "localhost"] {
            #expect(await fixture.status(.make(host: host)) == 200)
        }
        for host in ["a.settee.local", "settee.local.evil.com", "10.0.0.2"] {
            #expect(await fixture.status(.make(host: host)) == 403)
        }
    }

    /// An address cannot be pointed elsewhere, a name can.
    @Test func whereAnyoneIsAllowedNamesAreNot() async {
        let fixture = PolicyFixture(.none) { $0.allowsAnyone = true }
        for host in ["10.0.0.1", "192.168.1.2:5984", "[2001:db8::1]:80", "localhost"] {
            #expect(await fixture.status(.make(host: host)) == 200)
        }
        for host in ["evil.com", "settee.local", "localhost.evil.com"] {
            #expect(await fixture.status(.make(host: host)) == 403)
        }
    }

    @Test(
        arguments: [
            ("127.0.0.1", true), ("::1", true), ("localhost", true), ("127.8.9.10", true), ("0.0.0.0", false),
            ("::", false),
            ("", false), ("10.0.0.1", false), ("2001:db8::1", false), ("kitchen.local", false),
            ("::ffff:127.0.0.1", false),
            ("*", false), ("localhost.evil.com", false),
        ]
    )
    func otherAddressesNeedUsers(address: String, isLoopback: Bool) throws {
        let check = { (configuration: AccessConfiguration) -> StorageError? in
            do throws(StorageError) {
                try configuration.check(address: address)
                return nil
            } catch {
                return error
            }
        }
        let error = check(AccessConfiguration())
        #expect((error == nil) == isLoopback)
        if let error {
            #expect(error.code == .badParameter && error.message.contains("allowsAnyone"))
        }
        var anyone = AccessConfiguration()
        anyone.allowsAnyone = true
        #expect(check(anyone) == nil)
        #expect(check(AccessConfiguration(users: PolicyFixture.table)) == nil)
        var certificates = AccessConfiguration()
        certificates.certificates = { _ in nil }
        #expect(check(certificates) == nil)
    }

    @Test func settingsMustAgree() throws {
        var any = AccessConfiguration()
        any.crossOrigin = .anyOrigin
        #expect(throws: StorageError.self) { try any.check(address: "127.0.0.1") }
        any.users = PolicyFixture.table
        try any.check(address: "127.0.0.1")
        any.hosts = ["http://settee.local"]
        #expect(throws: StorageError.self) { try any.check(address: "127.0.0.1") }
    }

    @Test(arguments: 0..<20) func survivesAnyHost(seed: UInt64) async {
        var generator = SeededGenerator(seed: seed)
        let letters = Array("localhost127.0:[]@%/\u{0} ".utf8)
        for _ in 0..<500 {
            let bytes = (0..<generator.below(16)).map { _ in letters[generator.below(letters.count)] }
            let text = String(decoding: bytes, as: UTF8.self)
            guard let authority = Authority(text), authority.host.isLoopback else { continue }
            let name = authority.host.text
            #expect(name == "localhost" || name.hasPrefix("127.") || name == "[0:0:0:0:0:0:0:1]", "seed \(seed)")
        }
    }
}

extension AccessRequest {
    /// The same request for another host.
    func naming(_ host: String) -> AccessRequest {
        var request = self
        request.authority = host
        return request
    }
}
