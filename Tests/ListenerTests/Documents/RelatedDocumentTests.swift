internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Documents with their attachments as multipart/related, both ways.
@Suite struct RelatedDocumentTests {
    private let accept = ["Accept": "multipart/related"]
    private let type = ["Content-Type": "multipart/related; boundary=\"b\""]

    private func document(_ json: String, _ contents: [String], boundary: String = "b") throws -> [UInt8] {
        let parts = contents.map { (headers: [String: String](), content: Array($0.utf8)) }
        return try message([(["Content-Type": "application/json"], Array(json.utf8))] + parts, boundary: boundary)
    }

    @Test(arguments: AttachmentBed.types) func sendsContentsBehindTheJSON(_ storage: StorageType) async throws {
        try await withAttachments(storage) { bed in
            let encoded = try gzip(Array("Oberon".utf8))
            let first = try await bed.attach("/db/d/b", Array("Auberon".utf8), ["Content-Type": "text/plain"])
            let second = try await bed.attach(
                "/db/d/a?rev=\(first)",
                encoded,
                ["Content-Encoding": "gzip", "Content-Type": "text/plain"]
            )
            let third = try await bed.attach("/db/d/\u{E4}%22?rev=\(second)", [])
            for accept in ["multipart/related", "multipart/*", "multipart/related, application/json"] {
                let got = await bed.send(.get, "/db/d?attachments=true", ["Accept": accept])
                #expect(got.length == got.body.count)
                let parts = try MessageParts.read(got)
                #expect(parts.count == 4)
                #expect(parts[0].type == "application/json")
                let entries = parts[0].json["_attachments"]
                #expect(parts[0].json["_rev"]?.stringValue == third)
                #expect(entries?.objectValue?.keys == ["a", "b", "\u{E4}\""])
                #expect(entries?["a"]?["follows"] == true && entries?["a"]?["stub"] == nil)
                #expect(entries?["a"]?["encoding"] == "gzip")
                #expect(parts[1].content == encoded && parts[1].headers["Content-Encoding"] == "gzip")
                #expect(parts[1].headers["Content-Length"] == String(encoded.count))
                #expect(parts[2].content == Array("Auberon".utf8) && parts[2].type == "text/plain")
                #expect(parts[2].headers["Content-Disposition"] == "attachment; filename=\"b\"")
                #expect(parts[3].content == [])
                let name = try ContentDisposition.fileName(#require(parts[3].headers["Content-Disposition"]))
                #expect(name == "\u{E4}\"")
            }
            // What the client has is not sent again.
            let since = await bed.send(.get, "/db/d?atts_since=%5B%22\(second)%22,%221-x%22%5D", accept)
            let parts = try MessageParts.read(since)
            #expect(parts.count == 2 && parts[0].json["_attachments"]?["a"]?["stub"] == true)
            let all = await bed.send(.get, "/db/d?attachments=true&atts_since=%5B%22\(third)%22%5D", accept)
            #expect(all.header("Content-Type") == "application/json")
            #expect(all.json["_attachments"]?["b"]?["stub"] == true)
            for headers in [[:], ["Accept": "application/json"], ["Accept": "application/json, multipart/related"]] {
                let json = await bed.send(.get, "/db/d?attachments=true", headers)
                #expect(json.json["_attachments"]?["b"]?["data"] == "QXViZXJvbg==")
            }
            #expect(await bed.send(.get, "/db/none?attachments=true", accept).status == 404)
        }
    }

    @Test(arguments: AttachmentBed.types) func takesPartsByNameDigestOrOrder(_ storage: StorageType) async throws {
        try await withAttachments(storage) { bed in
            let json = #"{"_attachments":{"z":{"follows":true,"content_type":"text/plain"},"a":{"follows":true}}}"#
            // In the order of the text, which is not that of the names.
            let plain = try document(json, ["Z", "A"])
            let put = await bed.send(.put, "/db/order", type, plain)
            #expect(put.status == 201 && put.member("rev")?.hasPrefix("1-") == true, "\(put.text)")
            #expect(await bed.send(.get, "/db/order/z").text == "Z")
            #expect(await bed.send(.get, "/db/order/z").header("Content-Type") == "text/plain")
            #expect(await bed.send(.get, "/db/order/a").text == "A")
            let named = try message([
                ([:], Array(json.utf8)), (["Content-Disposition": "attachment; filename=\"a\""], Array("A".utf8)),
                (["Content-Disposition": "attachment; filename=z"], Array("Z".utf8)),
            ])
            #expect(await bed.send(.put, "/db/named", type, named).status == 201)
            #expect(await bed.send(.get, "/db/named/z").text == "Z")
            let stubs = await bed.send(.get, "/db/named").json["_attachments"]
            let md5 = try (#require(stubs?["z"]?["digest"]?.stringValue), #require(stubs?["a"]?["digest"]?.stringValue))
            let byDigest =
                #"{"_attachments":{"z":{"follows":true,"digest":"\#(md5.0)"},"a":{"follows":true,"digest":"\#(md5.1)"}}}"#
            let answer = await bed.send(.put, "/db/digest", type, try document(byDigest, ["A", "Z"]))
            #expect(answer.status == 201, "\(answer.text)")
            #expect(await bed.send(.get, "/db/digest/z").text == "Z")
            #expect(await bed.send(.get, "/db/digest/a").text == "A")
        }
    }

    @Test(arguments: AttachmentBed.types) func takesForeignRevisionsAndEdits(_ storage: StorageType) async throws {
        try await withAttachments(storage) { bed in
            let json = """
                {"_id":"d","_rev":"3-ccc","_revisions":{"start":3,"ids":["ccc","bbb","aaa"]},"x":1,\
                "_attachments":{"a":{"follows":true,"revpos":2,"length":1,"content_type":"text/plain"}}}
                """
            let put = await bed.send(.put, "/db/d?new_edits=false", type, try document(json, ["A"]))
            #expect(put.status == 201 && put.member("rev") == "3-ccc", "\(put.text)")
            let got = await bed.send(.get, "/db/d?revs=true").json
            #expect(got["_attachments"]?["a"]?["revpos"] == 2)
            #expect(got["_revisions"]?["ids"] == ["ccc", "bbb", "aaa"])
            // A new edit's content is as old as the edit, whatever the entry says; stubs stay.
            let edit = #"{"_rev":"3-ccc","_attachments":{"a":{"stub":true},"b":{"follows":true,"revpos":1}}}"#
            let second = await bed.send(.put, "/db/d", type, try document(edit, ["B"]))
            #expect(second.status == 201 && second.member("rev")?.hasPrefix("4-") == true, "\(second.text)")
            let entries = await bed.send(.get, "/db/d").json["_attachments"]
            #expect(entries?["a"]?["revpos"] == 2 && entries?["b"]?["revpos"] == 4)
            #expect(await bed.send(.put, "/db/d?rev=3-ccc", type, try document(edit, ["C"])).status == 409)
            // The ID in the URL counts, and there is no revision 3 of that document.
            #expect(await bed.send(.put, "/db/other", type, try document(json, ["A"])).status == 409)
            try bed.expectContents(2)
        }
    }

    @Test(arguments: AttachmentBed.types) func takesGzip(_ storage: StorageType) async throws {
        try await withAttachments(storage) { bed in
            let encoded = try gzip(Array("Little, Big".utf8))
            let length = encoded.count
            let json = """
                {"_attachments":{"a":{"follows":true,"encoding":"gzip","length":11,"encoded_length":\(length)}}}
                """
            let compressed = try gzip(Array(json.utf8))
            let bodies = [
                try message([([:], Array(json.utf8)), ([:], encoded)]),
                try message([(["Content-Encoding": "gzip"], compressed), (["Content-Encoding": "gzip"], encoded)]),
                try message([
                    ([:], Array(#"{"_attachments":{"a":{"follows":true}}}"#.utf8)),
                    (["Content-Encoding": "gzip"], encoded),
                ]),
            ]
            for (number, body) in bodies.enumerated() {
                let put = await bed.send(.put, "/db/\(number)", type, body)
                #expect(put.status == 201, "\(put.text)")
                #expect(await bed.send(.get, "/db/\(number)/a").text == "Little, Big")
                #expect(await bed.send(.get, "/db/\(number)/a", ["Accept-Encoding": "gzip"]).body == encoded)
            }
            let whole = await bed.send(
                .put,
                "/db/whole",
                type.merging(["Content-Encoding": "gzip"]) { $1 },
                try gzip(bodies[0])
            )
            #expect(whole.status == 201, "\(whole.text)")
            #expect(await bed.send(.get, "/db/whole/a").text == "Little, Big")
            try bed.expectContents(1)
        }
    }

    /// More contents than are open at a time.
    @Test(arguments: AttachmentBed.types) func sendsManyContents(_ storage: StorageType) async throws {
        try await withAttachments(storage) { bed in
            let names = (100..<150).map { "a\($0)" }
            let entries = names.map { "\"\($0)\":{\"follows\":true}" }.joined(separator: ",")
            let put = await bed.send(.put, "/db/d", type, try document("{\"_attachments\":{\(entries)}}", names))
            #expect(put.status == 201, "\(put.text)")
            let parts = try MessageParts.read(await bed.send(.get, "/db/d?attachments=true", accept))
            #expect(parts.dropFirst().map { String(decoding: $0.content, as: UTF8.self) } == names)
        }
    }

    /// Such a part was stored under another attachment's name, or dropped.
    @Test(arguments: AttachmentBed.types)
    func namesTwiceOrUnknownAndPartsTooManyAreRefused(_ storage: StorageType) async throws {
        try await withAttachments(storage) { bed in
            let json = #"{"_attachments":{"a":{"follows":true,"length":1},"b":{"follows":true,"length":1}}}"#
            for names in [["a", "a"], ["a", "c"], ["c", nil], ["a", "b", "b"], [nil, nil, nil], ["b", nil, "a"]]
                as [[String?]]
            {
                let parts = names.map { name in
                    let headers = name.map { ["Content-Disposition": "attachment; filename=\"\($0)\""] } ?? [:]
                    return (headers: headers, content: Array("x".utf8))
                }
                let body = try message([(["Content-Type": "application/json"], Array(json.utf8))] + parts)
                let reply = await bed.send(.put, "/db/d", type, body)
                #expect(reply.status == 400, "\(names): \(reply.text)")
                #expect(await bed.send(.get, "/db/d").status == 404)
            }
            try bed.expectContents(0)
        }
    }
}
