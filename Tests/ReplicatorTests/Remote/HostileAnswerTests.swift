internal import Foundation
internal import NIOHTTP1
internal import Settee
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// Answers with a success that do not say what was asked: nothing counts as passed on because of them.
@Suite(.timeLimit(.minutes(5))) struct HostileAnswerTests {
    private static let info = #"{"db_name":"db","update_seq":7,"instance_start_time":"0"}"#

    @Test(
        "revisions that an answer does not mention are not gone",
        arguments: [
            "{}", #"{"error":"forbidden"}"#, #"{"results":null}"#, #"{"results":{}}"#, #"{"results":[]}"#,
            #"{"results":[{"id":"a","docs":[]}]}"#,
            #"{"results":[{"id":"b","docs":[{"ok":{"_id":"b","_rev":"1-b"}}]}]}"#,
            #"{"results":[{"id":"a","docs":[{"ok":{"_id":"a","_rev":"2-b"}}]}]}"#,
        ]
    )
    func revisionsNotMentioned(text: String) async throws {
        try await ScriptedServer.run { _ in
            .json(text)
        } _: { server in
            let error = await failure { _ = try await server.peer().collected([RevisionWish("a", "1-a")]) }
            #expect(error?.kind == .badAnswer)
        }
    }

    @Test(
        "an answer in the place of a revision that says nothing is an error of that document",
        arguments: [
            #"{"results":[{"id":"a","docs":[null]}]}"#, #"{"results":[{"id":"a","docs":[{"n":1}]}]}"#,
            #"{"results":[{"id":"a"}]}"#,
        ]
    )
    func nothingInARow(text: String) async throws {
        try await ScriptedServer.run { _ in
            .json(text)
        } _: { server in
            let answers = try await server.peer().collected([RevisionWish("a", "1-a")])
            #expect(answers[0].first?.error?.kind == .badAnswer)
        }
    }

    @Test("the same without _bulk_get", arguments: ["[]", "[null]", #"[{"ok":{"_id":"a","_rev":"2-b"}}]"#])
    func openRevisions(text: String) async throws {
        try await ScriptedServer.run { request in
            if request.path == "/db/" { return .json(Self.info) }
            return request.path == "/db/a" ? .json(text) : .error(404)
        } _: { server in
            let wish = [RevisionWish("a", "1-a")]
            var found: PeerError?
            let error = await failure { found = try await server.peer().collected(wish)[0].first?.error }
            #expect((error ?? found)?.kind == .badAnswer)
        }
    }

    @Test("a feed without its rows is a bad answer", arguments: ["{}", #"{"last_seq":9}"#, #"{"results":null}"#])
    func feedWithoutRows(text: String) async throws {
        try await ScriptedServer.run { _ in
            .json(text)
        } _: { server in
            let error = await failure { _ = try await server.peer().changes(ChangesQuery(limit: 9)) }
            #expect(error?.kind == .badAnswer)
        }
    }

    @Test("members beside the rows take no more memory than a limit")
    func membersBeside() async throws {
        let member = String(repeating: "x", count: 100_000)
        let members = (0..<12).map { #""\#($0)":"\#(member)""# }.joined(separator: ",")
        try await ScriptedServer.run { _ in
            .json(#"{"results":[],"last_seq":1,\#(members)}"#)
        } _: { server in
            let error = await failure { _ = try await server.peer().changes(ChangesQuery(limit: 9)) }
            #expect(error?.kind == .badAnswer)
        }
    }

    @Test("a page that says nothing of what follows, and goes on, is not the last one")
    func cappedFeed() async throws {
        let row = #"{"seq":1,"id":"a","changes":[{"rev":"1-a"}]}"#
        try await ScriptedServer.run { request in
            .json(request.uri.contains("since=1") ? #"{"results":[],"last_seq":1}"# : #"{"results":[\#(row)]}"#)
        } _: { server in
            let peer = try server.peer()
            let page = try await peer.changes(ChangesQuery(limit: 9))
            #expect(!page.isAtEnd)
            let next = try await peer.changes(ChangesQuery(since: page.lastSequence, limit: 9))
            #expect(next.isAtEnd)
        }
    }

    @Test(
        "what is missing there is told as a list of what was asked about",
        arguments: [
            #"{"a":{"missing":"1-a"}}"#, #"{"a":{"missing":[1]}}"#, #"{"a":{"missing":["2-b"]}}"#, #"{"a":7}"#,
        ]
    )
    func missing(text: String) async throws {
        try await ScriptedServer.run { _ in
            .json(text)
        } _: { server in
            let offered = OfferedDocument(id: "a", revisions: ["1-a"])
            let error = await failure { _ = try await server.peer().missing([offered]) }
            #expect(error?.kind == .badAnswer)
        }
    }

    @Test(
        "a document with a content is stored when the server says so",
        arguments: ["<html>Welcome", "", "[]", #"{"ok":"#, #"{"ok":false}"#]
    )
    func put(text: String) async throws {
        let body = #"{"_attachments":{"x":{"stub":true,"digest":"md5-x","length":100000,"content_type":"a/b"}}}"#
        let revision = TransferredRevision.make("a", ["1-a"], body, attachments: true)
        let contents = ContentSource(contents: ["x": [UInt8](repeating: 1, count: 100_000)])
        try await ScriptedServer.run { _ in
            .json(text, 201)
        } _: { server in
            let error = await failure { _ = try await server.peer().insert([revision], from: contents) }
            #expect(error?.kind == .badAnswer)
            #expect(server.count("PUT /db/a") > 0)
        }
    }

    @Test(
        "an error of a document that was not sent is one of those that were",
        arguments: [
            #"[{"id":"b","error":"forbidden","reason":""}]"#, #"[{"id":"a","rev":"2-b","error":"forbidden"}]"#,
            #"[{"id":"a","rev":"2-b","error":"x"},{"id":"a","rev":"3-c","error":"x"},{"id":"b","error":"x"}]"#,
        ]
    )
    func outcomes(text: String) async throws {
        try await ScriptedServer.run { _ in
            .json(text, 201)
        } _: { server in
            let peer = try server.peer()
            let error = await failure { _ = try await peer.insert([.make("a", ["1-a"])], from: peer) }
            #expect(error?.kind == .badAnswer)
        }
    }

    @Test("the same of a document that is sent once more, with its contents")
    func outcomeOfRepetition() async throws {
        let entry = #"{"stub":true,"digest":"md5-y","length":5,"content_type":"a/b","revpos":1}"#
        let body = #"{"_attachments":{"x":\#(entry)}}"#
        let revision = TransferredRevision.make("a", ["2-a", "1-a"], body, attachments: true, known: ["1-a"])
        let contents = ContentSource(contents: ["x": Array("hello".utf8)])
        try await ScriptedServer.run { request in
            if request.path == "/db/" { return .json(Self.info) }
            return request.text.contains(#""stub":true"#)
                ? .error(412, "missing_stub") : .json(#"[{"id":"b","error":"forbidden","reason":""}]"#, 201)
        } _: { server in
            let error = await failure { _ = try await server.peer().insert([revision], from: contents) }
            #expect(error?.kind == .badAnswer)
            #expect(server.count("POST /db/_bulk_docs") == 2)
        }
    }

    @Test("a status below 100 is an error", arguments: [0, 1, 99])
    func status(status: Int) async throws {
        try await ScriptedServer.run { request in
            request.path == "/well/" ? .json(Self.info) : ScriptedServer.Reply(status: status)
        } _: { server in
            let error = await failure { _ = try await server.peer().information() }
            #expect(error != nil)
            let information = try await server.peer("well").information()
            #expect(information.lastSequence == 7)
        }
    }

    @Test("where nobody listens, the message says so")
    func nobodyThere() async throws {
        let port = Locked(0)
        try await ScriptedServer.run { _ in
            .json("{}")
        } _: { server in
            port.withLock { $0 = server.port }
        }
        let endpoint = try RemoteEndpoint("http://127.0.0.1:\(port.withLock { $0 })/db")
        let peer = try RemotePeer(endpoint, authenticator: nil, pauses: [])
        let error = await failure { _ = try await peer.information() }
        #expect(error?.kind == .transient)
        #expect(error?.message.contains("No server listens") == true)
    }

    @Test("a login that the server repeats is not in the message")
    func repeatedLogin() async throws {
        try await ScriptedServer.run { request in
            .error(403, "forbidden", "not with \(request.headers.first(name: "authorization") ?? "")")
        } _: { server in
            let logins: [Authenticator] = [.basic("ida", "SECRET-1"), .bearer { _ in "SECRET-2" }]
            for login in logins {
                let error = await failure { _ = try await server.peer("db", login).information() }
                #expect(error?.kind == .forbidden)
                #expect(error?.message.contains("not with") == true)
                for secret in ["SECRET", "aWRhOlNFQ1JFVC0x"] { #expect(error?.message.contains(secret) == false) }
            }
        }
    }

    @Test("a content that the server says has no bytes fails once")
    func noRange() async throws {
        try await ScriptedServer.run { _ in
            .error(416)
        } _: { server in
            let wish = AttachmentWish(documentID: "a", revision: "1-a", name: "x", digest: "md5-x", length: 5)
            let error = await failure { _ = try await server.peer().content(wish, from: 0) }
            #expect(error?.kind == .badAnswer)
            _ = await failure { _ = try await server.peer().content(wish, from: 3) }
            #expect(server.requests.count < 10)
        }
    }

    @Test(
        "Retry-After is seconds or a date",
        arguments: [
            ("8", 8.0), (" 8 ", 8), ("8.5", 8.5), ("99999999999999999999", 86_400), ("0", 0),
            ("Fri, 01 Jan 2021 00:00:10 GMT", 10), ("Thu, 31 Dec 2020 00:00:10 GMT", 0),
        ]
    )
    func retryAfter(header: String, seconds: Double) {
        // The first second of 2021.
        let time = RetryAfter.parse(header, now: Date(timeIntervalSince1970: 1_609_459_200))
        #expect(time == .seconds(seconds))
    }

    @Test("other texts are no Retry-After", arguments: ["", "soon", "-1", "1e3", "8 s"])
    func noRetryAfter(header: String) { #expect(RetryAfter.parse(header) == nil) }

    @Test("a parameter of a filter is no option of the protocol", arguments: ["since", "limit", "feed", "style"])
    func parameters(name: String) async throws {
        let bed = try ReplicationBed()
        var configuration = bed.configuration(.pull)
        configuration.pull.remoteFilter = RemoteFilter("d/f", JSONObject([(name, .string("9"))]))
        let replicator = bed.replicator(configuration)
        let error = await #expect(throws: ReplicationError.self) { try await replicator.run() }
        #expect(error?.code == .badConfiguration)
        #expect(error?.message.contains(name) == true)
        try bed.close()
    }
}
