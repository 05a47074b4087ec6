internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// `open_revs`, and `_bulk_get` as a multipart message.
@Suite struct OpenRevisionsTests {
    private let json = ["Accept": "application/json"]

    /// Saves a document with the leaves 2-bbb, which has an attachment, 2-ccc, and the tombstone 2-ddd.
    private func branches(_ bed: AttachmentBed, _ id: String = "d") async throws {
        let type = ["Content-Type": "application/json"]
        for (suffix, rest) in [
            ("bbb", #""x":1,"_attachments":{"a":{"data":"QQ==","content_type":"text/plain"}}"#), ("ccc", #""x":2"#),
            ("ddd", #""_deleted":true"#),
        ] {
            let text = #"{"_rev":"2-\#(suffix)","_revisions":{"start":2,"ids":["\#(suffix)","aaa"]},\#(rest)}"#
            let answer = await bed.send(.put, "/db/\(id)?new_edits=false", type, Array(text.utf8))
            #expect(answer.status == 201, "\(answer.text)")
        }
    }

    @Test(arguments: AttachmentBed.types) func listsAsJSON(_ storage: StorageType) async throws {
        try await withAttachments(storage) { bed in
            try await branches(bed)
            let all = await bed.send(.get, "/db/d?open_revs=all&revs=true", json)
            #expect(all.status == 200 && all.header("Content-Type") == "application/json")
            let rows = try #require(JSONValue(parsing: all.body).arrayValue)
            #expect(rows.compactMap { $0["ok"]?["_rev"]?.stringValue } == ["2-ccc", "2-bbb", "2-ddd"])
            #expect(rows[2]["ok"]?["_deleted"] == true)
            #expect(rows[0]["ok"]?["_revisions"]?["ids"] == ["ccc", "aaa"])
            #expect(rows[1]["ok"]?["_attachments"]?["a"]?["stub"] == true)
            let some = await bed.send(
                .get,
                "/db/d?open_revs=%5B%222-xyz%22,%222-bbb%22,%221-aaa%22%5D&attachments=true",
                json
            )
            let found = try #require(JSONValue(parsing: some.body).arrayValue)
            #expect(found[0] == ["missing": "2-xyz"] && found[2] == ["missing": "1-aaa"])
            #expect(found[1]["ok"]?["_attachments"]?["a"]?["data"] == "QQ==")
            let since = await bed.send(
                .get,
                "/db/d?open_revs=%5B%222-bbb%22%5D&atts_since=%5B%222-bbb%22%5D",
                json
            )
            #expect(since.text.contains(#""stub":true"#) && !since.text.contains("data"))
            let latest = await bed.send(.get, "/db/d?open_revs=%5B%221-aaa%22%5D&latest=true", json)
            #expect(try JSONValue(parsing: latest.body).arrayValue?.count == 3)
            #expect(await bed.send(.get, "/db/none?open_revs=all", json).member("reason") == "missing")
            let none = await bed.send(.get, "/db/none?open_revs=%5B%221-a%22%5D", json)
            #expect(none.text == "[{\"missing\":\"1-a\"}]\n")
            #expect(await bed.send(.get, "/db/d?open_revs=%5B%5D", json).member("_rev") == "2-ccc")
            for wrong in ["x", "%5B1%5D", "%7B%7D", "%5B%22x%22%5D"] {
                #expect(await bed.send(.get, "/db/d?open_revs=\(wrong)", json).status == 400, "\(wrong)")
            }
        }
    }

    @Test(arguments: AttachmentBed.types) func sendsMixedParts(_ storage: StorageType) async throws {
        try await withAttachments(storage) { bed in
            try await branches(bed)
            // CouchDB's replicator; programs that say nothing, or that they take anything.
            for headers in [
                ["Accept": "multipart/mixed"], [:], ["Accept": "*/*"], ["Accept": "text/html, */*;q=0.1"],
                ["Accept": "multipart/*, application/json"],
            ] {
                let path = "/db/d?revs=true&latest=true&open_revs=%5B%222-bbb%22,%223-x%22,%222-ccc%22%5D"
                let parts = try MessageParts.read(await bed.send(.get, path, headers))
                #expect(parts.count == 3)
                let inner = try MessageParts.read(parts[0].type, parts[0].content)
                #expect(inner.count == 2 && inner[1].content == Array("A".utf8))
                #expect(inner[0].json["_attachments"]?["a"]?["follows"] == true)
                #expect(inner[0].json["_revisions"]?["start"] == 2)
                #expect(parts[1].isFailure && parts[1].content == Array(#"{"missing":"3-x"}"#.utf8))
                #expect(parts[2].type == "application/json" && parts[2].json["x"] == 2)
            }
            let since = "/db/d?open_revs=all&atts_since=%5B%222-bbb%22%5D"
            let parts = try MessageParts.read(await bed.send(.get, since))
            #expect(parts.map(\.type) == Array(repeating: "application/json", count: 3))
            for accept in ["application/json", "multipart/mixed;q=0, */*", "application/json, */*", "text/plain"] {
                let answer = await bed.send(.get, "/db/d?open_revs=all", ["Accept": accept])
                #expect(answer.header("Content-Type") == "application/json", "\(accept)")
            }
        }
    }

    /// More revisions than are read at a time, and more attachments than are open at a time.
    @Test(arguments: AttachmentBed.types) func readsManyInBatches(_ storage: StorageType) async throws {
        try await withAttachments(storage) { bed in
            let type = ["Content-Type": "application/json"]
            let filler = String(repeating: "x", count: 100_000)
            for number in 10..<50 {
                let text = """
                    {"_rev":"1-\(number)","x":"\(filler)","_attachments":{"a":{"data":"QQ=="},"b":{"data":"Qg=="}}}
                    """
                #expect(await bed.send(.put, "/db/d?new_edits=false", type, Array(text.utf8)).status == 201)
            }
            let expected = (10..<50).reversed().map { "1-\($0)" }
            let all = await bed.send(.get, "/db/d?open_revs=all", json)
            let rows = try #require(JSONValue(parsing: all.body).arrayValue)
            #expect(rows.compactMap { $0["ok"]?["_rev"]?.stringValue } == expected)
            let parts = try MessageParts.read(await bed.send(.get, "/db/d?open_revs=all"))
            let messages = try parts.map { try MessageParts.read($0.type, $0.content) }
            #expect(messages.compactMap { $0[0].json["_rev"]?.stringValue } == expected)
            #expect(messages.allSatisfy { $0.dropFirst().map(\.content) == [[65], [66]] })
        }
    }

    @Test(arguments: AttachmentBed.types) func sendsBulkGetAsMixedParts(_ storage: StorageType) async throws {
        try await withAttachments(storage) { bed in
            try await branches(bed)
            try await branches(bed, "e")
            let request = """
                {"docs":[{"id":"d","rev":"2-bbb"},{"id":"none"},{"id":"d","rev":"9-x"},{"id":"e"},{"id":"_local/x"},\
                {"id":"d","rev":"x"},{"id":"e","rev":"2-bbb","atts_since":["2-bbb"]},{"id":"none","rev":"1-a"}]}
                """
            for (accept, type) in [
                ("multipart/mixed", "mixed"), ("multipart/related", "related"), ("multipart/*", "mixed"),
            ] {
                let headers = ["Content-Type": "application/json", "Accept": accept]
                let answer = await bed.send(.post, "/db/_bulk_get?revs=true", headers, Array(request.utf8))
                #expect(answer.header("Content-Type")?.hasPrefix("multipart/\(type);") == true)
                let parts = try MessageParts.read(answer)
                #expect(parts.map(\.isFailure) == [false, true, true, false, false, false, true, true, false, true])
                #expect(try MessageParts.read(parts[0].type, parts[0].content)[1].content == [65])
                #expect(parts[1].json["id"] == "none" && parts[1].json["error"] == "not_found")
                #expect(parts[2].json["rev"] == "9-x" && parts[2].json["reason"] == "missing")
                #expect(parts[3].json["_rev"] == "2-ccc" && parts[5].json["_deleted"] == true)
                #expect(parts[6].json["error"] == "illegal_docid" && parts[7].json["error"] == "bad_request")
                #expect(parts[8].json["_attachments"]?["a"]?["stub"] == true)
            }
            for accept in ["*/*", "application/json, multipart/mixed", "text/plain"] {
                let headers = ["Content-Type": "application/json", "Accept": accept]
                let answer = await bed.send(.post, "/db/_bulk_get", headers, Array(request.utf8))
                #expect(answer.header("Content-Type") == "application/json" && answer.json["results"] != nil)
            }
        }
    }
}
