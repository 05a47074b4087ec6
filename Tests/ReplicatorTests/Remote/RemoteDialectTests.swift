internal import NIOHTTP1
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// Servers of other kinds, found out by what they answer.
@Suite(.timeLimit(.minutes(5))) struct RemoteDialectTests {
    private static let info = #"{"db_name":"db","update_seq":"7-x","instance_start_time":123}"#

    @Test(
        "sequences go back as they came",
        arguments: [
            ("12", "12"), (#""7-g1AAA=""#, "7-g1AAA%3D"), (#"[3,"x"]"#, "%5B3%2C%22x%22%5D"), (#""5:6""#, "5%3A6"),
        ]
    )
    func sequences(json: String, sent: String) async throws {
        try await ScriptedServer.run { _ in
            .json(#"{"results":[{"seq":\#(json),"id":"a","changes":[{"rev":"1-a"}]}],"last_seq":\#(json)}"#)
        } _: { server in
            let peer = try server.peer()
            let page = try await peer.changes(ChangesQuery(limit: 1))
            #expect(page.rows.map(\.sequence) == [page.lastSequence] && !page.isAtEnd)
            let next = try await peer.changes(ChangesQuery(since: page.lastSequence, limit: 2))
            #expect(next.isAtEnd)
            #expect(server.requests[1].uri.contains("since=\(sent)&"))
        }
    }

    @Test("Sync Gateway: channels, lost access, a start time that is a number")
    func syncGateway() async throws {
        try await ScriptedServer.run { request in
            var reply = ScriptedServer.Reply.json(
                request.path == "/db/"
                    ? Self.info
                    : """
                    {"results":[{"seq":1,"id":"a","removed":["x"],"changes":[{"rev":"2-a"}]},
                    {"seq":2,"id":"b","changes":[{"rev":"1-b"}]}],"last_seq":2}
                    """
            )
            reply.headers.append(("Server", "Couchbase Sync Gateway/4.0.0 CE"))
            return reply
        } _: { server in
            let peer = try server.peer()
            let information = try await peer.information()
            #expect(information == PeerInformation(uuid: nil, startTime: "123", lastSequence: "7-x"))
            let page = try await peer.changes(ChangesQuery(limit: 9, filter: .channels(["x", "y"])))
            #expect(page.rows.map(\.isRemoved) == [true, false])
            let uri = server.requests[1].uri
            #expect(uri.contains("filter=sync_gateway%2Fbychannel") && uri.contains("channels=x%2Cy"))
            // It has no feed of documents that waits: the others are left out here.
            let query = ChangesQuery(limit: 9, wait: .seconds(30), filter: .documentIDs(["b"]))
            #expect(try await peer.changes(query).rows.map(\.id) == ["b"])
            #expect(server.requests[2].method == "GET" && !server.requests[2].uri.contains("filter"))
        }
    }

    @Test("_bulk_get in multipart, with documents that are missing, removed and compressed")
    func bulkGetMultipart() async throws {
        let text = """
            --x\r\nContent-Type: application/json\r\n\r\n{"_id":"a","_rev":"1-a","n":1}\r
            --x\r\nContent-Type: multipart/related; boundary="y"\r\n\r
            --y\r\nContent-Type: application/json\r\n\r
            {"_id":"b","_rev":"1-b","_attachments":{"f":{"follows":true,"length":2,"digest":"md5-x"}}}\r
            --y\r\nContent-Type: text/plain\r\n\r\nhi\r\n--y--\r
            --x\r\nContent-Type: application/json; error="true"\r\n\r
            {"id":"c","rev":"1-c","error":"not_found","reason":"missing","status":404}\r
            --x\r\nContent-Type: application/json; error="true"\r\n\r
            {"id":"d","rev":"1-d","error":"forbidden","reason":"no","status":403}\r
            --x\r\nContent-Type: application/json\r\n\r\n{"_id":"e","_rev":"1-e","_removed":true}\r
            --x--
            """
        try await ScriptedServer.run { _ in
            ScriptedServer.Reply(headers: [("Content-Type", #"multipart/mixed; boundary="x""#)], body: Array(text.utf8))
        } _: { server in
            let wishes = ["a", "b", "c", "d", "e"].map { RevisionWish($0, "1-\($0)") }
            let answers = try await server.peer().collected(wishes)
            #expect(answers.allSatisfy { $0.count == 1 })
            #expect(answers[0][0].found == .make("a", ["1-a"], #"{"n":1}"#))
            let stub = #"{"_attachments":{"f":{"digest":"md5-x","length":2,"stub":true}}}"#
            #expect(answers[1][0].found == .make("b", ["1-b"], stub, attachments: true))
            #expect(answers[2...].allSatisfy { $0[0].isMissing })
            #expect(answers[3][0].error?.kind == .forbidden && answers[4][0].error == nil)
        }
    }

    @Test("without _bulk_get each document is asked for, in JSON or multipart", arguments: [404, 405, 400, 501])
    func openRevisions(status: Int) async throws {
        try await ScriptedServer.run { request in
            switch request.line {
            case "GET /db/": return .json(Self.info)
            case "GET /db/a":
                return .json(
                    #"[{"ok":{"_id":"a","_rev":"1-x","_revisions":{"start":1,"ids":["x"]}}},{"missing":"1-y"}]"#
                )
            case "GET /db/b%2Fc":
                let text = "--x\r\n\r\n{\"_id\":\"b/c\",\"_rev\":\"2-x\"}\r\n--x--"
                return ScriptedServer.Reply(
                    headers: [("Content-Type", "multipart/mixed; boundary=x")],
                    body: Array(text.utf8)
                )
            case "GET /db/d": return .error(404, "not_found", "missing")
            case "GET /db/e": return .error(403, "forbidden")
            default: return .error(status)
            }
        } _: { server in
            let peer = try server.peer()
            let wishes = [
                RevisionWish("a", "1-x", "1-y", known: ["1-z"]), RevisionWish("b/c", "2-x"), RevisionWish("d", "1-x"),
                RevisionWish("e", "1-x"),
            ]
            for _ in 0..<2 {
                let answers = try await peer.collected(wishes)
                #expect(answers[0].count == 2 && answers[0][0].found != nil && answers[0][1].isMissing)
                #expect(answers[1].map(\.found) == [.make("b/c", ["2-x"])])
                #expect(answers[2][0].isMissing && answers[2][0].error == nil)
                #expect(answers[3][0].error?.kind == .forbidden)
            }
            #expect(server.count("POST /db/_bulk_get") == 1)
            let asked = try #require(server.requests.first { $0.line == "GET /db/a" })
            #expect(asked.uri.contains("open_revs=%5B%221-x%22%2C%221-y%22%5D"))
            #expect(!asked.uri.contains("atts_since"))
        }
    }

    @Test(
        "a server without _revs_diff and _ensure_full_commit, and one that takes no checkpoint",
        arguments: [401, 405]
    )
    func bare(status: Int) async throws {
        try await ScriptedServer.run { request in
            switch request.method {
            case "GET": request.path == "/db/" ? .json(Self.info) : .error(404)
            case "PUT": .error(status)
            default: .error(404)
            }
        } _: { server in
            let peer = try server.peer()
            for _ in 0..<2 {
                let lacked = try await peer.missing([OfferedDocument(id: "a", revisions: ["1-a"])])
                #expect(lacked == [LackedRevisions(missing: ["1-a"], possibleAncestors: [])])
                try await peer.commit()
            }
            #expect(server.count("POST /db/_revs_diff") == 1 && server.count("POST /db/_ensure_full_commit") == 1)
            #expect(try await peer.checkpoint("c") == nil)
            #expect(await failure { _ = try await peer.save([:], as: "c", replacing: nil) }?.kind == .readOnly)
        }
    }

    @Test(
        "outcomes of a batch, as CouchDB and as Sync Gateway tell them",
        arguments: [
            #"[{"id":"b","rev":"1-b","error":"forbidden","reason":"no"}]"#,
            #"[{"id":"a","rev":"1-a"},{"id":"b","error":"forbidden","reason":"no","status":403}]"#,
        ]
    )
    func outcomes(answer: String) async throws {
        try await ScriptedServer.run { _ in
            .json(answer, 201)
        } _: { server in
            let sent = [TransferredRevision.make("a", ["1-a"]), .make("b", ["1-b"])]
            let outcomes = try await server.peer().insert(sent, from: ContentSource())
            #expect(outcomes[0] == .added)
            guard case .refused(let error) = outcomes[1] else { throw PeerError(.badAnswer, "taken") }
            #expect(error.kind == .forbidden)
        }
    }

    @Test("a batch that is refused as a whole is halved until the document at fault is alone", arguments: [413, 400])
    func halved(status: Int) async throws {
        try await ScriptedServer.run {
            $0.text.contains(#""d3""#) ? .error(status) : .json("[]", 201)
        } _: { server in
            let sent = (0..<8).map { TransferredRevision.make("d\($0)", ["1-a"]) }
            let outcomes = try await server.peer().insert(sent, from: ContentSource())
            #expect(outcomes.enumerated().allSatisfy { $0 == 3 ? $1 != .added : $1 == .added })
            #expect(server.requests.count == 7)
        }
    }
}
