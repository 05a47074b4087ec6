internal import Testing

@testable internal import SetteeDiscovery

/// What is taken of what a network tells, and what is not.
@Suite struct CheckedServiceTests {
    @Test("a service that keeps the rules is taken as it is")
    func taken() throws {
        let service = try #require(
            CheckedService(.sample("Studio of Ada 👩🏽‍🎨", texts: ["tls=1", "path=/db/", "uuid=A-1"]))
        )
        #expect(service.identity == PeerIdentity(name: "Studio of Ada 👩🏽‍🎨", host: "studio.local"))
        #expect(service.port == 5984)
        #expect(service.path == "/db/")
        #expect(service.uuid == "A-1")
        #expect(service.usesTLS)
    }

    @Test("what is not told has its usual value, and unknown keys do no harm")
    func defaults() throws {
        let texts = ["", "=", "other", "x=\u{1B}[31m", String(repeating: "y", count: 10_000)]
        let service = try #require(CheckedService(.sample(host: "studio.local.", texts: texts)))
        #expect(service.identity.host == "studio.local")
        #expect(service.path == "/")
        #expect(service.uuid == nil)
        #expect(!service.usesTLS)
    }

    @Test("keys are compared without case, and the first one counts")
    func keys() throws {
        let service = try #require(CheckedService(.sample(texts: ["PATH=/a", "path=/b", "Tls=1", "tls=0"])))
        #expect(service.path == "/a")
        #expect(service.usesTLS)
    }

    @Test(
        "names with control characters, with what changes the direction of writing, and of a wrong length are refused",
        arguments: [
            "", "a\u{1B}[31m", "a\nb", "a\u{0}", "a\u{9B}31m", "a\u{7F}", "\u{202E}oidutS", "a\u{2066}b", "a\u{200B}b",
            "a\u{2028}b", "\u{FEFF}a", "\u{E000}", String(repeating: "a", count: 64), String(repeating: "é", count: 32),
        ]
    )
    func names(_ name: String) {
        #expect(CheckedService(.sample(name)) == nil)
        #expect(!AdvertisedService.isName(name))
    }

    @Test("bytes that are no UTF-8 are refused wherever they stand")
    func encoding() {
        var name = Appearance.sample()
        name.id.name = [0x61, 0xFF]
        var host = Appearance.sample()
        host.host = [0xC3, 0x28]
        var path = Appearance.sample()
        path.texts = [Array("path=/".utf8) + [0x80]]
        for appearance in [name, host, path] { #expect(CheckedService(appearance) == nil) }
    }

    @Test(
        "hosts of anything but letters, digits, hyphens and dots are refused",
        arguments: [
            "", ".", "a..local", "a b", "a/../b", "user@evil", "a:80", "[::1]", "a%00", "é.local", "a\r\nb",
            String(repeating: "a.", count: 127) + "aa", String(repeating: "a", count: 64) + ".local",
        ]
    )
    func hosts(_ host: String) { #expect(CheckedService(.sample(host: host)) == nil) }

    @Test(
        "properties that break a rule refuse the whole service",
        arguments: [
            "path", "path=", "path=db", "path=//evil.example/", "path=/..", "path=/a/../b", "path=/./a", "path=/a//b",
            "path=/a?b", "path=/a#b", "path=/a b", "path=/%2e%2e/", "path=/a\\b", "path=/\u{1B}[2J", "path=/é",
            "path=/" + String(repeating: "a", count: 200), "uuid", "uuid=a b", "uuid=\u{7}",
            "uuid=" + String(repeating: "a", count: 65), "tls", "tls=", "tls=yes", "tls=2", "tls=1\n",
        ]
    )
    func properties(_ text: String) { #expect(CheckedService(.sample(texts: [text])) == nil) }

    @Test("port 0 is refused")
    func port() { #expect(CheckedService(.sample(port: 0)) == nil) }

    @Test("random bytes in all parts are taken or refused, and what is taken can be printed", arguments: 0..<8)
    func random(_ seed: UInt64) {
        var random = SmallRandom(state: seed &+ 1)
        for _ in 0..<2_000 {
            let appearance = Appearance(
                id: Appearance.ID(interface: 1, version: 0, name: random.bytes(upTo: 70)),
                host: random.bytes(upTo: 20),
                address: random.bytes(upTo: 17),
                interfaceName: "eth0",
                port: UInt16(truncatingIfNeeded: random.next()),
                texts: (0..<random.next() % 4).map { _ in Array("path=/".utf8) + random.bytes(upTo: 4) }
            )
            guard let service = CheckedService(appearance) else { continue }
            let url = DiscoveredPeer([service]).url
            #expect(
                (service.identity.name + url).unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
            )
        }
    }
}

/// A generator that gives the same numbers each time (xorshift).
struct SmallRandom {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    /// Mostly letters, so that some of it keeps the rules.
    mutating func bytes(upTo count: UInt64) -> [UInt8] {
        (0..<next() % (count + 1)).map { _ in
            let number = next()
            return number % 8 == 0 ? UInt8(truncatingIfNeeded: number >> 8) : UInt8(ascii: "a") + UInt8(number % 26)
        }
    }
}
