internal import NIOHTTP1
internal import Settee
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// Contents of attachments on their way.
@Suite(.timeLimit(.minutes(5))) struct RemoteAttachmentTests {
    private static let big = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    private static let entries = """
        {"_attachments":{"big":{"content_type":"a/b","digest":"md5-x","length":200000,"revpos":2,"stub":true},\
        "small":{"content_type":"text/plain","digest":"md5-y","length":5,"revpos":1,"stub":true}},"n":1}
        """
    private static let source = ContentSource(contents: ["big": big, "small": Array("hello".utf8)])

    private static func wish(_ name: String, _ length: Int) -> AttachmentWish {
        AttachmentWish(documentID: "a", revision: "2-b", name: name, digest: "", length: UInt64(length))
    }

    @Test("contents arrive, small ones in the JSON and large ones behind it, and come back from any offset")
    func roundTrip() async throws {
        try await RemoteBed.run { bed in
            let peer = try bed.peer()
            let small = """
                {"_attachments":{"small":{"content_type":"text/plain","digest":"md5-y","length":5,"revpos":1,\
                "stub":true}}}
                """
            let sent = [
                TransferredRevision.make("a", ["2-b", "1-a"], Self.entries, attachments: true),
                .make("s", ["1-s"], small, attachments: true), .make("gone", ["1-g"], Self.entries, attachments: true),
            ]
            let outcomes = try await peer.insert(Array(sent.prefix(2)), from: Self.source)
            #expect(outcomes == [.added, .added])
            #expect(try bed.database["a"].revision()?.attachment(named: "big")?.content() == Self.big)
            #expect(try bed.database["s"].revision()?.attachment(named: "small")?.content() == Array("hello".utf8))
            // A content that is not there concerns its document.
            let lost = try await peer.insert([sent[2], .make("b", ["1-b"])], from: ContentSource())
            #expect(lost[0] != .added && lost[1] == .added)
            for offset in [0, 1, 150_000, 200_000] {
                let content = try await peer.content(Self.wish("big", 200_000), from: UInt64(offset))
                #expect(content.offset == UInt64(offset) && content.isEncoded)
                var bytes: [UInt8] = []
                while let piece = try await content.next() { bytes += piece }
                #expect(bytes == Array(Self.big[offset...]))
            }
            let answer = try await peer.collected([RevisionWish("a", "2-b")])[0][0].found
            #expect(answer?.hasAttachments == true)
            let json = String(decoding: answer?.json ?? [], as: UTF8.self)
            #expect(json.contains(#""stub":true"#))
            let error = await failure { _ = try await peer.content(Self.wish("none", 1), from: 0) }
            #expect(error?.kind == .notFound)
        }
    }

    @Test("what an ancestor on the other side has is not sent, unless the server lacks it all the same")
    func stubs() async throws {
        let puts = Locked(0)
        try await ScriptedServer.run { request in
            guard request.method == "PUT" else { return .json("[]", 201) }
            let number = puts.withLock {
                $0 += 1
                return $0
            }
            return number == 1 ? .error(412, "missing_stub") : .json(#"{"ok":true}"#, 201)
        } _: { server in
            let peer = try server.peer()
            let revision = TransferredRevision.make(
                "a",
                ["2-b", "1-a"],
                Self.entries,
                attachments: true,
                known: ["1-a"]
            )
            #expect(try await peer.insert([revision], from: Self.source) == [.added])
            let bodies = server.requests.map(\.text)
            #expect(server.requests.count == 2 && server.requests.allSatisfy { $0.uri == "/db/a?new_edits=false" })
            #expect(!bodies[0].contains("hello") && bodies[1].contains("hello"))
            for request in server.requests {
                #expect(request.headers.first(name: "content-length") == String(request.body.count))
            }
            #expect(bodies[1].contains(#""_revisions":{"start":2,"ids":["b","a"]}"#))
            // Everything is known: no content goes, and no request of its own.
            var known = revision
            known.knownAncestors = ["2-b"]
            #expect(try await peer.insert([known], from: ContentSource()) == [.added])
            #expect(server.requests.last?.line == "POST /db/_bulk_docs")
        }
    }

    @Test("a server that refuses a whole request for a stub gets the content")
    func refusedStub() async throws {
        let entries = """
            {"_attachments":{"small":{"content_type":"text/plain","digest":"md5-y","length":5,"revpos":1,"stub":true}}}
            """
        try await ScriptedServer.run {
            $0.text.contains(#""stub":true"#) ? .error(412, "missing_stub") : .json("[]", 201)
        } _: { server in
            let revision = TransferredRevision.make("a", ["2-b", "1-a"], entries, attachments: true, known: ["1-a"])
            let outcomes = try await server.peer().insert([.make("b", ["1-b"]), revision], from: Self.source)
            #expect(outcomes == [.added, .added])
            #expect(server.requests.last?.text.contains(#""data":"aGVsbG8=""#) == true)
        }
    }

    @Test("a server that takes no multipart gets base64", arguments: [415, 405, 501])
    func inline(status: Int) async throws {
        try await ScriptedServer.run {
            $0.method == "PUT" ? .error(status) : .json("[]", 201)
        } _: { server in
            let peer = try server.peer()
            for _ in 0..<2 {
                let revision = TransferredRevision.make("a", ["2-b"], Self.entries, attachments: true)
                #expect(try await peer.insert([revision], from: Self.source) == [.added])
            }
            #expect(server.requests.map(\.method) == ["PUT", "POST", "POST"])
            #expect(server.requests[1].text.contains(#""data":"aGVsbG8=""#))
        }
    }

    @Test("a document that is too large is refused alone")
    func tooLarge() async throws {
        try await ScriptedServer.run {
            $0.method == "PUT" ? .error(413) : .json("[]", 201)
        } _: { server in
            let revision = TransferredRevision.make("a", ["2-b"], Self.entries, attachments: true)
            let outcomes = try await server.peer().insert([revision, .make("b", ["1-b"])], from: Self.source)
            guard case .refused(let error) = outcomes[0] else { throw PeerError(.badAnswer, "taken") }
            #expect(error.kind == .tooLarge && outcomes[1] == .added)
        }
    }

    @Test("compressed content stays so where it can, and is inflated for base64")
    func compressed() async throws {
        let deflater = try GzipDeflater(.gzip)
        var packed: [UInt8] = []
        try deflater.push(Array("hello hello hello".utf8).span.bytes) { bytes throws(CouchError) in
            bytes.withUnsafeBytes { packed.append(contentsOf: $0) }
        }
        try deflater.finish { bytes throws(CouchError) in bytes.withUnsafeBytes { packed.append(contentsOf: $0) } }
        let bytes = packed
        try await ScriptedServer.run { request in
            guard request.method == "GET" else { return .json("[]", 201) }
            return ScriptedServer.Reply(headers: [("Content-Encoding", "gzip")], body: bytes)
        } _: { server in
            let peer = try server.peer()
            var wish = Self.wish("f", bytes.count)
            wish.encoding = "gzip"
            let content = try await peer.content(wish, from: 0)
            let first = try await content.next()
            #expect(content.isEncoded && first == bytes)
            let json = """
                {"_attachments":{"f":{"digest":"md5-x","length":17,"encoded_length":\(bytes.count),\
                "encoding":"gzip","stub":true}}}
                """
            let revision = TransferredRevision.make("a", ["1-a"], json, attachments: true)
            #expect(try await peer.insert([revision], from: ContentSource(contents: ["f": bytes])) == [.added])
            #expect(server.requests.last?.text.contains(#""data":"aGVsbG8gaGVsbG8gaGVsbG8=""#) == true)
        }
    }
}
