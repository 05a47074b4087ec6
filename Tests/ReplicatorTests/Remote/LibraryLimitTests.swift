internal import Foundation
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// Texts from a configuration, or from `_replicate`, that the HTTP library would trap for if it met them where it does
/// not expect them. They are errors.
@Suite(.timeLimit(.minutes(5))) struct LibraryLimitTests {
    private static let info = #"{"db_name":"db","update_seq":7,"instance_start_time":"0"}"#

    static let headers: [(String, String)] = [
        ("", "v"), ("ü", "v"), ("X-\u{1F600}", "v"), ("a b", "v"), ("a:b", "v"), ("a\r\nb", "v"), ("a\0", "v"),
        ("X", "a\r\nY: b"), ("X", "a\0b"), ("X", "ü"), ("X", "\u{7F}"), ("X", String(repeating: "v", count: 100_000)),
        (String(repeating: "n", count: 100_000), "v"), ("Content-Length", "5"), ("Content-Length", "-1"),
        ("Content-Length", "99999999999999999999"), ("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "gzip"),
        ("Connection", "close"), ("Connection", "upgrade, ü"), ("Upgrade", "websocket"), ("Expect", "100-continue"),
        ("Host", ""), ("Host", "a\r\nb"), ("TE", "trailers"), ("Trailer", "X"), ("Accept-Encoding", "ü"),
    ]

    @Test("any header of a configuration is sent or is an error", arguments: headers)
    func header(name: String, value: String) async throws {
        try await ScriptedServer.run { _ in
            .json(Self.info)
        } _: { server in
            var endpoint = try RemoteEndpoint("http://127.0.0.1:\(server.port)/db")
            endpoint.headers = [name: value]
            endpoint.silenceTimeout = .seconds(2)
            guard let peer = try? RemotePeer(endpoint, authenticator: nil, pauses: []) else { return }
            // An error is as good as a success.
            _ = try? await peer.information()
            _ = try? await peer.insert([.make("a", ["1-a"])], from: peer)
        }
    }

    @Test("a header that cannot be sent is told before anything is", arguments: ["", "ü", "a b", "a:b", "a\r\nb"])
    func unsent(name: String) throws {
        var endpoint = try RemoteEndpoint("http://127.0.0.1:1/db")
        endpoint.headers = [name: "v"]
        let error = #expect(throws: StorageError.self) { try RemotePeer(endpoint, pauses: []) }
        #expect(error?.code == .badParameter)
        endpoint.headers = ["X": "a\r\nb"]
        #expect(throws: StorageError.self) { try RemotePeer(endpoint, pauses: []) }
    }

    static let hosts = [
        String(repeating: "a", count: 300), String(repeating: "a.", count: 40_000) + "b", "a%00b", "%FF", "[::1", "[]",
        "[fe80::1%25lo]", "1.2.3", "0x7f.1", "a..b", ".", "-", "xn--", "é", "a b", "[::1]", "127.0.0.1", "localhost.",
        "[v1.x]", "%2F", String(repeating: "%C3%BC", count: 100),
    ]

    @Test("any host of a URL is an error, or is not found", arguments: hosts, ["http", "https"])
    func host(host: String, scheme: String) async throws {
        guard let endpoint = try? RemoteEndpoint("\(scheme)://\(host):1/db"),
            let peer = try? RemotePeer(endpoint, authenticator: nil, pauses: [])
        else { return }
        let error = await failure { _ = try await peer.information() }
        #expect(error != nil)
        if scheme == "https" { _ = try? await endpoint.serverCertificate() }
    }

    @Test("ports and paths that are odd", arguments: ["0", "65535", "65536", "-1", "99999999999999999999", ""])
    func port(port: String) async throws {
        for path in [
            "", "/", "/db", "/%", "/%zz", "/\u{0}", "/ü", "//", "/a?b#c", "/" + String(repeating: "x", count: 70_000),
        ] {
            guard let endpoint = try? RemoteEndpoint("http://127.0.0.1:\(port)\(path)"), endpoint.origin != "",
                let peer = try? RemotePeer(endpoint, authenticator: nil, pauses: [])
            else { continue }
            _ = try? await peer.information()
        }
    }

    @Test("a login with any bytes is sent or is an error", arguments: ["", ":", "ü:\u{1F600}", "a\r\nb", "a\0", "%"])
    func login(text: String) async throws {
        try await ScriptedServer.run { _ in
            .json(Self.info)
        } _: { server in
            for login in [Authenticator.basic(text, text), .session(text, text), .bearer { _ in text }] {
                guard let peer = try? server.peer("db", login, retries: 0) else { continue }
                _ = try? await peer.information()
            }
        }
    }
}
