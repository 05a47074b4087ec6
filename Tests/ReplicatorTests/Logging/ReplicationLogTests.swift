internal import Foundation
internal import NIOHTTP1
internal import Settee
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// What replications log, and what must never be in it.
@Suite(.timeLimit(.minutes(5))) struct ReplicationLogTests {
    /// A server that has documents, refuses one, and gives out secrets. All of them have `hush` in it.
    private final class Secretive: Sendable {
        private let calls = Locked(0)

        func answer(_ request: ScriptedServer.Request) -> ScriptedServer.Reply {
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            guard number > 1 else { return .error(503, "hush", "hush-reason") }
            switch request.line {
            case "POST /_session":
                var reply = ScriptedServer.Reply.json(#"{"name":"hush-user"}"#)
                reply.headers.append(("Set-Cookie", "AuthSession=hush-cookie; Path=/; HttpOnly"))
                return reply
            case "GET /db/_oidc_challenge":
                var reply = ScriptedServer.Reply.error(401)
                let page = "https://provider.example/login?hush"
                reply.headers.append(("WWW-Authenticate", #"OIDC login="\#(page)""#))
                return reply
            case "GET /db/_oidc_callback":
                return .json(#"{"id_token":"hush-id-token","refresh_token":"hush-refresh"}"#)
            default: break
            }
            if request.headers.first(name: "authorization") == nil, request.headers.first(name: "cookie") == nil {
                return .error(401, "unauthorized", "hush-reason")
            }
            return data(request)
        }

        private func data(_ request: ScriptedServer.Request) -> ScriptedServer.Reply {
            switch request.line {
            case "GET /db/":
                return .json(#"{"db_name":"db","db_uuid":"hush-uuid","update_seq":"3-hush","instance_start_time":"0"}"#)
            case "GET /db/_changes":
                let rows = ["hush-1", "hush-2", "hush-3"].map { id in
                    #"{"seq":"\#(id)","id":"\#(id)","changes":[{"rev":"1-a"}]}"#
                }
                return .json(#"{"results":[\#(rows.joined(separator: ","))],"last_seq":"3-hush","pending":0}"#)
            case "POST /db/_bulk_get":
                let rows = ["hush-1", "hush-2"].map { id in
                    #"{"id":"\#(id)","docs":[{"ok":{"_id":"\#(id)","_rev":"1-a","secret":"hush-body"}}]}"#
                }
                let error =
                    #"{"id":"hush-3","docs":[{"error":{"id":"hush-3","rev":"1-a","error":"forbidden","#
                    + #""reason":"hush-message"}}]}"#
                return .json(#"{"results":["# + (rows + [error]).joined(separator: ",") + "]}")
            case "POST /db/_revs_diff":
                let asked = (try? JSONValue(parsing: request.body))?.objectValue ?? JSONObject()
                return .json(JSONValue.object(JSONObject(asked.map { ($0.key, ["missing": $0.value]) })).description)
            case "POST /db/_bulk_docs":
                let refusal = #"{"id":"hush-here","error":"forbidden","reason":"hush-message"}"#
                return .json("[\(request.text.contains("hush-here") ? refusal : "")]", 201)
            default:
                if request.method == "PUT" { return .json(#"{"ok":true,"rev":"0-1"}"#, 201) }
                return .error(404, "not_found", "hush-reason")
            }
        }
    }

    private static let logins: [(name: String, authenticator: Authenticator?)] = [
        ("url", nil), ("basic", .basic("hush-user", "hush-password")),
        ("session", .session("hush-user", "hush-password")),
        ("bearer", .bearer { _ in "hush-token" }),
        (
            "oauth1",
            .oauth1(
                OAuthCredentials(
                    consumerKey: "hush-key",
                    consumerSecret: "hush-secret",
                    token: "hush-token",
                    tokenSecret: "hush-secret"
                )
            )
        ),
        (
            "openid",
            .openIDConnect { _ in
                try #require(URL(string: "https://elsewhere.example/db/_oidc_callback?code=hush-code&state=hush-state"))
            }
        ),
    ]

    private func replicate(_ login: Authenticator?, _ server: ScriptedServer) async throws {
        let bed = try ReplicationBed()
        _ = try bed.a["hush-here"].put(["secret": "hush-body"])
        _ = try bed.a["hush-there"].setAttachment(
            named: "hush-name",
            contentType: "text/plain",
            content: [UInt8](repeating: 7, count: 100_000)
        )
        bed.a.setValidation("strict") { revision, context in
            if revision.documentID == "hush-2" { context.reject(withMessage: "hush-message") }
        }
        let url = "http://\(login == nil ? "hush-user:hush-password@" : "")127.0.0.1:\(server.port)/db"
        var configuration = ReplicatorConfiguration(database: bed.a, target: .url(url))
        configuration.headers = ["X-Tenant": "hush-header"]
        configuration.pull.remoteFilter = RemoteFilter("hidden/filter", ["owner": "hush-value"])
        var endpoint = try RemoteEndpoint(url)
        endpoint.headers = configuration.headers
        let replicator = Replicator(configuration, limits: bed.limits) { [endpoint] in
            try RemotePeer(endpoint, authenticator: login, pauses: [.milliseconds(1), .milliseconds(1)])
        }
        try await replicator.run()
        #expect(replicator.failedDocuments.map(\.documentID).sorted() == ["hush-2", "hush-3", "hush-here"])
        try await replicator.retryFailed()
        try bed.close()
    }

    @Test("secrets, bodies, IDs and values of queries are in no message, at any level, with any login")
    func secrets() async throws {
        let turn = try await LogTurn.take()
        Log.setLevel(.trace)
        defer { Log.setLevel(Log.defaultLevel) }
        var ports: [Int] = []
        let lines = try await Captured.duringTasks {
            for login in Self.logins {
                let secretive = Secretive()
                try await ScriptedServer.run {
                    secretive.answer($0)
                } _: { server in
                    ports.append(server.port)
                    try await replicate(login.authenticator, server)
                }
            }
        }
        let pair = Data("hush-user:hush-password".utf8).base64EncodedString()
        let leaks = lines.filter { $0.lowercased().contains("hush") || $0.contains(pair) || $0.contains("hidden") }
        #expect(leaks == [])
        for port in ports {
            let base = "127.0.0.1:\(port)/db"
            let own = lines.filter { $0.contains(base) }
            func has(_ beginning: String, _ part: String) -> Bool {
                own.contains { $0.hasPrefix(beginning) && $0.contains(part) }
            }
            #expect(has("debug settee.Sync: ", ": busy"))
            #expect(has("info settee.Sync: push from test", " begins from the first change on"))
            #expect(has("info settee.Sync: pull from http://\(base) to test", "has ended after "))
            #expect(has("info settee.Sync: push", " was not passed on: 403 forbidden"))
            #expect(has("info settee.Sync: pull", "doc#"))
            #expect(has("debug settee.Sync: ", "there is a checkpoint after "))
            #expect(has("debug settee.ChangeTracker: pull", "3 changes from the first change on, none follows"))
            #expect(has("info settee.RemoteRequest: ", "a request is sent again in 1 ms (503 transient)"))
            #expect(has("debug settee.RemoteRequest: GET http://\(base)/_changes?style&limit", "&owner: 200, "))
            #expect(has("debug settee.RemoteRequest: PUT http://\(base)/doc#", "?new_edits: 201, "))
        }
        withExtendedLifetime(turn) {}
    }

    @Test("requests are told without IDs of documents and names of attachments")
    func requests() throws {
        let endpoint = try RemoteEndpoint("http://ida:secret@127.0.0.1/a/db")
        func text(_ path: String, _ query: [(name: String, value: String)] = []) -> String {
            RemoteRequest(.GET, path, query).logged(at: endpoint)
        }
        #expect(text("") == "GET http://127.0.0.1/a/db/")
        #expect(text("_changes", [("since", "7"), ("a&b", "c")]) == "GET http://127.0.0.1/a/db/_changes?since&a%26b")
        #expect(text("_local/abc") == "GET http://127.0.0.1/a/db/_local/abc")
        for id in ["ida", "_design/ida", "a/b c", "é"] {
            let path = RemoteRequest.path(of: id)
            let tag = Log.tag(try DocumentID(id))
            #expect(text(path, [("rev", "1-a")]) == "GET http://127.0.0.1/a/db/\(tag)?rev")
            #expect(text(path + "/name", [("rev", "1-a")]) == "GET http://127.0.0.1/a/db/\(tag)/attachment?rev")
        }
        var session = RemoteRequest(.POST, "_session")
        session.base = .server
        #expect(session.logged(at: endpoint) == "POST http://127.0.0.1/a/_session")
    }
}
