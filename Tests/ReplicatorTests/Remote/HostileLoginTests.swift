internal import Foundation
internal import NIOHTTP1
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// Servers that want more of a login than they should get, and apps whose secrets are malformed.
@Suite(.timeLimit(.minutes(5))) struct HostileLoginTests {
    private static let info = #"{"db_name":"db","update_seq":0}"#

    private static func challenge(_ header: String) -> ScriptedServer.Reply {
        var reply = ScriptedServer.Reply.error(401)
        reply.headers.append(("WWW-Authenticate", header))
        return reply
    }

    private static func session(_ cookies: String...) -> ScriptedServer.Reply {
        var reply = ScriptedServer.Reply.json("{}")
        reply.headers += cookies.map { ("Set-Cookie", $0) }
        return reply
    }

    @Test("a server that refuses each login gets two of them, however often it is asked")
    func loop() async throws {
        try await ScriptedServer.run { request in
            request.line == "POST /_session" ? Self.session("AuthSession=a") : .error(401)
        } _: { server in
            let peer = try server.peer("db", .session("ida", "secret"), retries: 2)
            for _ in 0..<4 {
                #expect(await failure { _ = try await peer.information() }?.kind == .unauthorized)
            }
            #expect(server.count("POST /_session") == 2)
        }
    }

    @Test("the user is asked once, although the server takes no token", arguments: [200, 401])
    func openIDLoop(refresh: Int) async throws {
        let asked = Locked(0)
        let login = Authenticator.openIDConnect { page in
            asked.withLock { $0 += 1 }
            return try #require(URL(string: "https://a.example/db/_oidc_callback?code=c"))
        }
        try await ScriptedServer.run { request in
            switch request.path {
            case "/db/_oidc_challenge": Self.challenge(#"OIDC login="https://provider.example/""#)
            case "/db/_oidc_callback": .json(#"{"id_token":"i","refresh_token":"r"}"#)
            case "/db/_oidc_refresh": .json(#"{"id_token":"i2"}"#, refresh)
            default: .error(401)
            }
        } _: { server in
            let peer = try server.peer("db", login, retries: 2)
            for _ in 0..<3 {
                #expect(await failure { _ = try await peer.information() }?.kind == .unauthorized)
            }
            #expect(asked.withLock { $0 } == 1)
        }
    }

    @Test("who waits for a user that does not log in can be stopped, and others go on waiting")
    func stopped() async throws {
        let entered = Locked(0)
        let isOver = Locked(false)
        let login = Authenticator.openIDConnect { _ in
            entered.withLock { $0 += 1 }
            defer { isOver.withLock { $0 = true } }
            try await Task.sleep(for: .seconds(3_600))
            throw CancellationError()
        }
        try await ScriptedServer.run { _ in
            Self.challenge(#"OIDC login="https://provider.example/""#)
        } _: { server in
            let peer = try server.peer("db", login)
            let requests = (0..<2).map { _ in Task { _ = try await peer.information() } }
            try await eventually { entered.withLock { $0 } == 1 }
            try await Task.sleep(for: .milliseconds(100))
            requests[0].cancel()
            try await Task.sleep(for: .milliseconds(100))
            #expect(!isOver.withLock { $0 })
            requests[1].cancel()
            for request in requests {
                await #expect(throws: CancellationError.self) { try await request.value }
            }
            #expect(entered.withLock { $0 } == 1)
        }
    }

    @Test("a page that shows another host, can be read on the way, or is none, is not opened")
    func pages() async throws {
        let asked = Locked(0)
        let login = Authenticator.openIDConnect { page in
            asked.withLock { $0 += 1 }
            return page
        }
        let wrong = [
            "", "OIDC", "OIDC login=", #"OIDC login=""#, #"OIDC login="""#, #"Basic login="https://a.example/""#,
            #"OIDC login="file:///etc/passwd""#, #"OIDC login="javascript:alert(1)""#, #"OIDC login="//a.example/""#,
            #"OIDC login="http://provider.example/""#, #"OIDC login="https://bank.example@evil.example/""#,
            #"OIDC login="https:///""#, "OIDC login=\"https://a.example/\t\"",
            #"OIDC login="https://a.example/\#(String(repeating: "a", count: 9_000))""#,
        ]
        for header in wrong {
            try await ScriptedServer.run { _ in
                Self.challenge(header)
            } _: { server in
                let error = await failure { _ = try await server.peer("db", login).information() }
                #expect(error?.kind == .unauthorized, "\(header.prefix(80))")
            }
        }
        #expect(asked.withLock { $0 } == 0)
    }

    @Test("the code comes back with the cookies of the challenge, and one that was denied is not sent")
    func callback() async throws {
        let ends = Locked(["https://a.example/db/_oidc_callback?error=access_denied&state=s"])
        let login = Authenticator.openIDConnect { _ in try #require(URL(string: ends.withLock { $0[0] })) }
        try await ScriptedServer.run { request in
            switch request.path {
            case "/db/_oidc_challenge":
                var reply = Self.challenge(#"OIDC login="http://localhost:1/login""#)
                reply.headers += [("Set-Cookie", "state=s1; Path=/db; HttpOnly"), ("Set-Cookie", "other=o")]
                return reply
            case "/db/_oidc_callback": return .json(#"{"id_token":"i"}"#)
            default: return .json(Self.info)
            }
        } _: { server in
            for end in ["https://a.example/?code=c", "https://a.example/db/_oidc_callback"] {
                #expect(await failure { _ = try await server.peer("db", login).information() }?.kind == .unauthorized)
                ends.withLock { $0 = [end] }
            }
            #expect(server.count("GET /db/_oidc_callback") == 0)
            ends.withLock { $0 = ["https://a.example/db/_oidc_callback?code=c&state=s1"] }
            _ = try await server.peer("db", login).information()
            let callback = try #require(server.requests.first { $0.path == "/db/_oidc_callback" })
            #expect(callback.headers["cookie"] == ["state=s1; other=o"])
            #expect(callback.uri.hasSuffix("?code=c&state=s1"))
            #expect(server.requests.last?.headers["cookie"] == [])
        }
    }

    @Test("a cookie that is too long, or cannot be sent back, is none; one of another domain goes to the server only")
    func cookies() async throws {
        for value in [String(repeating: "a", count: 20_000), "a b", "a\u{1}b", "\u{e4}", ""] {
            try await ScriptedServer.run { request in
                request.line == "POST /_session" ? Self.session("AuthSession=\(value); Path=/") : .json(Self.info)
            } _: { server in
                let error = await failure {
                    _ = try await server.peer("db", .session("ida", "secret")).information()
                }
                #expect(error != nil, "\(value.prefix(20))")
                #expect(server.count("GET /db/") == 0)
            }
        }
        try await ScriptedServer.run { request in
            request.line == "POST /_session"
                ? Self.session("x=1", "AuthSession=a; Domain=bank.example; Secure", "AuthSession=b") : .json(Self.info)
        } _: { server in
            _ = try await server.peer("db", .session("ida", "secret")).information()
            #expect(server.requests.last?.headers["cookie"] == ["AuthSession=a"])
        }
    }

    @Test(
        "a login is not sent where a redirect points, be it another port or an unencrypted address",
        arguments: [301, 302, 303, 307, 308]
    )
    func redirects(status: Int) async throws {
        try await ScriptedServer.run { _ in
            Self.session("AuthSession=a")
        } _: { other in
            let port = other.port
            for to in [
                "http://127.0.0.1:\(port)/_session", "//127.0.0.1:\(port)/_session",
                "HTTP://LOCALHOST:\(port)/_session",
                "https://127.0.0.1:\(port)/_session", "http:127.0.0.1:\(port)/", "\\\\127.0.0.1:\(port)\\",
                "@127.0.0.1:\(port)/",
            ] {
                try await ScriptedServer.run { _ in
                    ScriptedServer.Reply(status: status, headers: [("Location", to)])
                } _: { server in
                    for login in [Authenticator.session("ida", "secret"), .basic("ida", "secret")] {
                        let error = await failure { _ = try await server.peer("db", login).information() }
                        #expect(error != nil, "\(to)")
                    }
                    #expect(server.requests.count == 2, "\(to)")
                }
            }
            #expect(other.requests.isEmpty)
        }
    }

    @Test("a redirect from TLS to the same port without TLS is refused")
    func downgrade() async throws {
        var endpoint = try RemoteEndpoint("https://a.example:5984/db")
        endpoint.headers = ["X-Key": "secret"]
        let transport = try RemoteTransport(endpoint)
        for to in [
            "http://a.example:5984/db/", "https://a.example.evil/", "https://a.example:59840/", "//a.example:5984/",
        ] {
            #expect(transport.follow(to) == nil, "\(to)")
        }
        #expect(transport.follow("HTTPS://A.example:5984/x") == "https://a.example:5984/x")
        #expect(transport.follow("/x") == "https://a.example:5984/x")
    }

    @Test("line breaks in tokens and headers send nothing, and are not told")
    func lineBreaks() async throws {
        try await ScriptedServer.run { _ in
            .json(Self.info)
        } _: { server in
            for token in ["secret\r\nX-Evil: 1", "secret\nGET / HTTP/1.1", "secret\u{0}"] {
                let error = await failure {
                    _ = try await server.peer("db", .bearer { _ in token }, retries: 1).information()
                }
                #expect(error?.message.contains("secret") == false)
                var endpoint = try RemoteEndpoint("http://127.0.0.1:\(server.port)/db")
                endpoint.headers = ["X-Key": token]
                let other = await #expect(throws: StorageError.self) {
                    _ = try await RemotePeer(endpoint, pauses: [.zero]).information()
                }
                #expect(other?.code == .badParameter && other?.message.contains("secret") == false)
            }
            #expect(server.requests.isEmpty)
            // In a basic login they are harmless.
            _ = try await server.peer("db", .basic("ida", "se\r\ncret")).information()
            #expect(server.requests[0].headers["authorization"] == ["Basic aWRhOnNlDQpjcmV0"])
        }
    }

    @Test("only what every resolver takes for this computer gets a login without TLS")
    func loopback() throws {
        for host in [
            "0127.0.0.1", "127.0.0.01", "+127.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "127.0.0.1.example",
            "a.localhost", "localhost.", "127.0.0.1.", "[::ffff:10.0.0.1]",
        ] {
            guard let endpoint = try? RemoteEndpoint("http://\(host)/db") else { continue }
            #expect(throws: StorageError.self, "\(host)") {
                try RemotePeer(endpoint, authenticator: .basic("ida", "secret"))
            }
        }
    }

    @Test("a host with letters outside ASCII has its name of IDNA")
    func internationalHost() throws {
        #expect(try RemoteEndpoint("http://Bücher.example/db").description == "http://xn--bcher-kva.example/db")
        #expect(try RemoteEndpoint("https://пример:5984/db").description == "https://xn--e1afmkfd:5984/db")
    }

    @Test("user and password of a URL are in no message")
    func urls() async throws {
        for url in [
            "http://ida:s%2Fcret@127.0.0.1:1/db", "https://ida:s%2Fcret@127.0.0.1:1/a/db/",
            "http://s%2Fcret@127.0.0.1:1/db",
        ] {
            let peer = try RemotePeer(RemoteEndpoint(url), pauses: [])
            let error = await failure { _ = try await peer.information() }
            #expect(error?.kind == .transient)
            let texts = [peer.name, error?.message ?? ""]
            #expect(texts.allSatisfy { !$0.contains("cret") && !$0.contains("ida") }, "\(texts)")
        }
    }
}
