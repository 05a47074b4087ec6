internal import Foundation
internal import NIOHTTP1
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// Logins at servers of other kinds.
@Suite(.timeLimit(.minutes(5))) struct RemoteLoginTests {
    private static let info = #"{"db_name":"db","update_seq":0}"#

    @Test("OAuth 1 signs as RFC 5849 shows, the query included")
    func oauth() async throws {
        let credentials = OAuthCredentials(
            consumerKey: "dpf43f3p2l4k3l03",
            consumerSecret: "kd94hf93k423kf44",
            token: "nnch734d00sl2jdk",
            tokenSecret: "pfkkdhi9sl3r4s00"
        )
        let signature = OAuthSignature(credentials, time: 137_131_202, nonce: "chapoH")
        let parameters = [
            ("oauth_consumer_key", "dpf43f3p2l4k3l03"), ("oauth_token", "nnch734d00sl2jdk"),
            ("oauth_signature_method", "HMAC-SHA1"), ("oauth_timestamp", "137131202"), ("oauth_nonce", "chapoH"),
            ("file", "vacation.jpg"), ("size", "original"),
        ]
        let text = signature.base("GET", "http://photos.example.net/photos", parameters)
        #expect(signature.signature(of: text) == "MdpQcU8iPSUjWoN/UDMsK2sui9I=")
        try await ScriptedServer.run { _ in
            .json(Self.info)
        } _: { server in
            _ = try await server.peer("db", .oauth1(credentials)).information()
            let header = server.requests[0].headers.first(name: "authorization") ?? ""
            #expect(header.hasPrefix(#"OAuth oauth_consumer_key="dpf43f3p2l4k3l03", "#))
            #expect(header.contains("oauth_signature=") && !header.contains("kd94hf93k423kf44"))
        }
    }

    @Test("a token that is refused is asked for again, once; requests at the same time share the next one")
    func bearer() async throws {
        let calls = Locked<[Bool]>([])
        let login = Authenticator.bearer { isRenewal in
            calls.withLock { calls in
                calls.append(isRenewal)
                return "t\(calls.count)"
            }
        }
        try await ScriptedServer.run { request in
            request.headers.first(name: "authorization") == "Bearer t2" ? .json(Self.info) : .error(401)
        } _: { server in
            let peer = try server.peer("db", login, retries: 2)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { _ = try await peer.information() } }
                try await group.waitForAll()
            }
            #expect(calls.withLock { $0 } == [false, true])
        }
        try await ScriptedServer.run { _ in
            .error(401)
        } _: { server in
            let error = await failure { _ = try await server.peer("db", login, retries: 2).information() }
            #expect(error?.kind == .unauthorized && server.requests.count == 2)
        }
    }

    @Test("a session of Sync Gateway is that of the database, and is begun anew after a 401")
    func session() async throws {
        let sessions = Locked(0)
        try await ScriptedServer.run { request in
            switch request.line {
            case "POST /_session": return .error(404)
            case "POST /db/_session":
                let number = sessions.withLock {
                    $0 += 1
                    return $0
                }
                var reply = ScriptedServer.Reply.json("{}")
                reply.headers.append(("Set-Cookie", "SyncGatewaySession=s\(number); Path=/db; HttpOnly"))
                return reply
            default:
                return request.headers.first(name: "cookie") == "SyncGatewaySession=s2" ? .json(Self.info) : .error(401)
            }
        } _: { server in
            let peer = try server.peer("db", .session("ida", "secret"))
            _ = try await peer.information()
            _ = try await peer.information()
            #expect(server.count("POST /db/_session") == 2 && server.count("GET /db/") == 3)
            #expect(server.requests.allSatisfy { $0.headers.first(name: "authorization") == nil })
        }
    }

    @Test("OpenID Connect: the page, the code to the server, and the next token without the user")
    func openID() async throws {
        let given = Locked<[OpenIDTokens]>([])
        let login = Authenticator.openIDConnect { page in
            #expect(page.absoluteString == "https://provider.example/login?x=1")
            return try #require(URL(string: "https://elsewhere.example/db/_oidc_callback?code=c1&state=s"))
        } changed: { tokens in
            given.withLock { $0.append(tokens) }
        }
        try await ScriptedServer.run { request in
            switch request.path {
            case "/db/_oidc_challenge":
                var reply = ScriptedServer.Reply.error(401)
                reply.headers.append(("WWW-Authenticate", #"OIDC login="https://provider.example/login?x=1""#))
                return reply
            case "/db/_oidc_callback":
                return request.uri.contains("code=c1") ? .json(#"{"id_token":"i1","refresh_token":"r1"}"#) : .error(400)
            case "/db/_oidc_refresh":
                return request.uri.contains("refresh_token=r1") ? .json(#"{"id_token":"i2"}"#) : .error(400)
            default: return request.headers.first(name: "authorization") == "Bearer i2" ? .json(Self.info) : .error(401)
            }
        } _: { server in
            _ = try await server.peer("db", login).information()
            let tokens = given.withLock { $0 }
            #expect(tokens.map(\.idToken) == ["i1", "i2"] && tokens.map(\.refreshToken) == ["r1", "r1"])
        }
    }
}
