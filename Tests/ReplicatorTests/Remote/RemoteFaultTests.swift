internal import Settee
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// Servers and proxies that fail.
@Suite(.timeLimit(.minutes(5))) struct RemoteFaultTests {
    private static let info = #"{"db_name":"db","update_seq":7,"instance_start_time":"0"}"#

    @Test("what has arrived when a connection breaks can be read", arguments: [0, 1, 60_000, 399_999])
    func brokenAnswer(cut: Int) async throws {
        let bytes = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try await ScriptedServer.run { _ in
            ScriptedServer.Reply(headers: [("Content-Type", "a/b")], body: bytes, cut: cut)
        } _: { server in
            let wish = AttachmentWish(documentID: "a", revision: "1-a", name: "x", digest: "", length: 400_000)
            let content = try await server.peer().content(wish, from: 0)
            // Until all of it has arrived, and the end behind it.
            try await Task.sleep(for: .milliseconds(300))
            var received: [UInt8] = []
            let error = await failure {
                while let piece = try await content.next() { received += piece }
            }
            #expect(error?.kind == .transient)
            let isAll = received.elementsEqual(bytes.prefix(cut))
            #expect(isAll, "\(received.count) bytes")
            // It stays broken.
            let again = await failure { _ = try await content.next() }
            #expect(again?.kind == .transient)
            #expect(server.requests.count == 1)
        }
    }

    @Test("a request that failed for a while is sent again, and Retry-After is told at the end")
    func retries() async throws {
        let calls = Locked(0)
        try await ScriptedServer.run { request in
            let number = calls.withLock {
                $0 += 1
                return $0
            }
            if request.path == "/gone/" {
                var reply = ScriptedServer.Reply.error(503)
                reply.headers.append(("Retry-After", "120"))
                return reply
            }
            switch number {
            case 1: return .error(503)
            case 2: return ScriptedServer.Reply(headers: [("Content-Type", "text/html")], body: Array("<html>".utf8))
            case 3: return ScriptedServer.Reply(body: Array(Self.info.utf8), cut: 10)
            default: return .json(Self.info)
            }
        } _: { server in
            let information = try await server.peer(retries: 3).information()
            #expect(information.lastSequence == 7)
            let error = await failure { _ = try await server.peer("gone", retries: 3).information() }
            #expect(error?.kind == .transient && error?.status == 503 && error?.retryAfter == .seconds(120))
            #expect(server.count("GET /gone/") == 1)
        }
    }

    @Test(
        "a feed that ends in the middle, HTML and nonsense are bad answers",
        arguments: [
            #"{"results":[{"seq":1,"id":"a","changes":[{"rev":"1-a"}]}"#, "<html>", "[]", #"{"results":[7]}"#, "",
        ]
    )
    func badFeed(text: String) async throws {
        try await ScriptedServer.run { _ in
            .json(text)
        } _: { server in
            let error = await failure { _ = try await server.peer(retries: 1).changes(ChangesQuery(limit: 9)) }
            #expect(error?.kind == .badAnswer)
            #expect(server.requests.count == 2)
        }
    }

    @Test(
        "a document that cannot be read once, where there is no _bulk_get, is asked for again",
        arguments: [413, 400]
    )
    func documentOnce(status: Int) async throws {
        let calls = Locked(0)
        try await ScriptedServer.run { request in
            if request.path == "/db/" { return .json(Self.info) }
            guard request.path == "/db/a" else { return .error(404) }
            let isFirst = calls.withLock { calls in
                calls += 1
                return calls == 1
            }
            if isFirst, status == 413 { return .error(413) }
            if isFirst { return ScriptedServer.Reply(status: status, body: Array("<html>".utf8)) }
            return .json(#"[{"ok":{"_id":"a","_rev":"1-a","_revisions":{"start":1,"ids":["a"]}}}]"#)
        } _: { server in
            let answers = try await server.peer().collected([RevisionWish("a", "1-a")])
            #expect(answers[0].count == 1 && answers[0][0].found != nil)
        }
    }

    @Test("a page that would take much memory ends early, and the rest is the next one")
    func largeFeed() async throws {
        let name = String(repeating: "x", count: 1 << 20)
        try await ScriptedServer.run { request in
            let first = request.uri.contains("since=17") ? 18 : 1
            let rows = (first...40).map { #"{"seq":\#($0),"id":"\#(name)\#($0)","changes":[{"rev":"1-a"}]}"# }
            return .json(#"{"results":[\#(rows.joined(separator: ",\n"))],"last_seq":40,"pending":0}"#)
        } _: { server in
            let peer = try server.peer()
            let page = try await peer.changes(ChangesQuery(limit: 4_000))
            #expect(page.rows.map(\.sequence) == (1...16).map { .int($0) })
            #expect(page.lastSequence == .int(16) && !page.isAtEnd)
            let next = try await peer.changes(ChangesQuery(since: .int(17), limit: 4_000))
            #expect(next.rows.first?.sequence == .int(18))
        }
    }

    @Test("a connection that breaks in the middle of revisions costs only those that had not come")
    func brokenRevisions() async throws {
        @Sendable func row(_ id: String) -> String {
            #"{"id":"\#(id)","docs":[{"ok":{"_id":"\#(id)","_rev":"1-\#(id)","n":1}}]}"#
        }
        try await ScriptedServer.run { request in
            let asked = ["a", "b"].filter { request.text.contains(#""id":"\#($0)""#) }
            let text = #"{"results":["# + asked.map(row).joined(separator: ",") + "]}"
            return ScriptedServer.Reply(body: Array(text.utf8), cut: asked.count == 2 ? text.utf8.count - 10 : nil)
        } _: { server in
            let wishes = [RevisionWish("a", "1-a"), RevisionWish("b", "1-b")]
            let answers = try await server.peer(retries: 2).collected(wishes)
            #expect(answers.allSatisfy { $0.count == 1 && $0[0].found != nil })
            #expect(server.requests.count == 2)
        }
    }

    @Test("a page that refuses a document is believed only where the database answers", arguments: [true, false])
    func pages(isPortal: Bool) async throws {
        try await ScriptedServer.run { request in
            if request.path == "/db/", !isPortal { return .json(Self.info) }
            let type = [(name: "Content-Type", value: "text/html")]
            return ScriptedServer.Reply(status: 400, headers: type, body: Array("<html>".utf8))
        } _: { server in
            let revision = TransferredRevision.make("a", ["1-a"])
            let peer = try server.peer(retries: 1)
            if isPortal {
                let error = await failure { _ = try await peer.insert([revision], from: peer) }
                #expect(error?.isNameless == true)
            } else {
                let outcomes = try await peer.insert([revision], from: peer)
                guard case .refused(let error) = outcomes[0] else { return #expect(Bool(false), "it is refused") }
                #expect(error.kind == .badDocument)
            }
        }
    }

    @Test("redirects are followed within the origin, and never to another, whoever logs in")
    func redirects() async throws {
        try await ScriptedServer.run { _ in
            .json(Self.info)
        } _: { other in
            try await ScriptedServer.run { request in
                let to = request.path == "/near/" ? "/db/" : "http://127.0.0.1:\(other.port)/db/"
                return request.path == "/db/"
                    ? .json(Self.info) : ScriptedServer.Reply(status: 301, headers: [("Location", to)])
            } _: { server in
                let near = try await server.peer("near").information()
                #expect(near.lastSequence == 7)
                let login = Authenticator.basic("ida", "secret")
                let error = await failure { _ = try await server.peer("far", login, retries: 2).information() }
                #expect(error?.kind == .badAnswer && error?.status == 301)
                #expect(server.count("GET /far/") == 1)
            }
            #expect(other.requests.isEmpty)
        }
    }

    @Test("a login over plain HTTP goes to this computer only, or by an explicit word")
    func insecureLogin() throws {
        for url in ["http://ida:secret@db.example/db", "http://10.0.0.1/db", "http://127.0.0.1.example/db"] {
            var endpoint = try RemoteEndpoint(url)
            #expect(!endpoint.description.contains("secret"))
            let error = #expect(throws: StorageError.self) {
                try RemotePeer(endpoint, authenticator: .basic("ida", "secret"))
            }
            #expect(error?.code == .badParameter && error?.message.contains("secret") == false)
            endpoint.allowsInsecureLogin = true
            _ = try RemotePeer(endpoint, authenticator: .basic("ida", "secret"))
        }
        for url in ["https://db.example/db", "http://localhost/db", "http://[::1]:5984/db", "http://127.0.0.9/a/b/"] {
            _ = try RemotePeer(RemoteEndpoint(url), authenticator: .basic("ida", "secret"))
        }
        for url in ["", "db", "ftp://host/db", "http://host", "http://host/", "http:///db", "http://host/db?a=1"] {
            #expect(throws: StorageError.self) { try RemoteEndpoint(url) }
        }
    }

    @Test("an error says nothing of what the server knows", arguments: [401, 403, 404, 409, 413, 500])
    func errors(status: Int) async throws {
        try await ScriptedServer.run { _ in
            .error(status, "x", "the document of ida")
        } _: { server in
            let error = await failure { _ = try await server.peer().information() }
            #expect(error?.status == status)
            // A validation's message is meant to be read.
            #expect(error?.message.contains("ida") == (status == 403))
        }
    }

    /// A database with these documents. `answer` makes the answer of `_bulk_get` for the IDs that are asked for.
    private static func database(
        _ ids: [String],
        _ answer: @escaping @Sendable ([String]) -> String?
    ) -> ScriptedServer.Script {
        { request in
            switch request.line {
            case "GET /db/": return .json(#"{"db_name":"db","update_seq":\#(ids.count),"instance_start_time":"0"}"#)
            case "GET /db/_changes":
                let rows = ids.enumerated().map { number, id in
                    #"{"seq":\#(number + 1),"id":"\#(id)","changes":[{"rev":"1-a"}]}"#
                }
                return .json(#"{"results":[\#(rows.joined(separator: ","))],"last_seq":\#(ids.count),"pending":0}"#)
            case "POST /db/_bulk_get":
                let asked = ids.filter { request.text.contains(#""id":"\#($0)""#) }
                if let text = answer(asked) { return .json(text) }
                let rows = asked.map { #"{"id":"\#($0)","docs":[{"ok":{"_id":"\#($0)","_rev":"1-a"}}]}"# }
                return .json(#"{"results":["# + rows.joined(separator: ",") + "]}")
            default: return request.method == "PUT" ? .json(#"{"ok":true,"rev":"0-1"}"#, 201) : .error(404)
            }
        }
    }

    @Test("a document that breaks each answer it is in costs itself and few requests", arguments: [1, 200])
    func brokenAnswer(count: Int) async throws {
        let ids = (0..<count).map { "d\($0)" }
        let bad = ids[count / 2]
        try await ScriptedServer.run(
            Self.database(ids) { asked in asked.contains(bad) ? #"{"results":[{"id":"d0","docs":[{"ok":{"_id":"# : nil }
        ) { server in
            let bed = try ReplicationBed()
            var configuration = ReplicatorConfiguration(
                database: bed.a,
                target: .url("http://127.0.0.1:\(server.port)/db")
            )
            configuration.direction = .pull
            let replicator = Replicator(configuration)
            try await replicator.run()
            #expect(replicator.failedDocuments.map(\.documentID) == [bad])
            #expect(try bed.a.documentCount == count - 1)
            // One for each half, and three more for the last one.
            #expect(server.count("POST /db/_bulk_get") <= (count == 1 ? 4 : 24))
            try bed.close()
        }
    }

    @Test("something that answers in the server's place makes no document fail")
    func otherAnswers() async throws {
        let isAway = Locked(false)
        let script = Self.database((0..<50).map { "d\($0)" }) { _ in
            isAway.withLock { $0 = true }
            return "<html>"
        }
        try await ScriptedServer.run { request in
            isAway.withLock { $0 } ? .json("<html>") : script(request)
        } _: { server in
            let bed = try ReplicationBed()
            let url = "http://127.0.0.1:\(server.port)/db"
            var configuration = ReplicatorConfiguration(database: bed.a, target: .url(url))
            configuration.direction = .pull
            let replicator = Replicator(configuration, limits: bed.limits) { try server.peer(retries: 2) }
            let error = await #expect(throws: ReplicationError.self) { try await replicator.run() }
            #expect(error?.code == .badAnswer)
            #expect(replicator.failedDocuments.isEmpty)
            try bed.close()
        }
    }
}
