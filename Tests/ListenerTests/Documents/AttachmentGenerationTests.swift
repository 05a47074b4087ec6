internal import HTTPTypes
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Clients leave the `revpos` of before beside the data that replaces an attachment.
@Suite struct AttachmentGenerationTests {
    private let json = ["Content-Type": "application/json"]

    @Test(arguments: AttachmentBed.types) func replacedContentIsOfTheNewGeneration(_ type: StorageType) async throws {
        try await withAttachments(type) { bed in
            var revisions: [(id: String, old: String)] = []
            for id in ["put", "bulk", "follows", "single"] {
                revisions.append((id, try await bed.put("/db/\(id)", #"{"_attachments":{"a":{"data":"b2xk"}}}"#)))
            }
            let entry =
                #"{"content_type":"text/plain","revpos":1,"digest":"md5-FJvzxHQjuPR79BK8x+pmMA==","data":"bmV3"}"#
            try await bed.put("/db/put?rev=\(revisions[0].old)", #"{"_attachments":{"a":\#(entry)}}"#)
            let bulk = #"{"docs":[{"_id":"bulk","_rev":"\#(revisions[1].old)","_attachments":{"a":\#(entry)}}]}"#
            let rows = await bed.send(.post, "/db/_bulk_docs", json, Array(bulk.utf8))
            #expect(rows.status == 201, "\(rows.text)")
            let following =
                #"{"_attachments":{"a":{"content_type":"text/plain","revpos":1,"length":3,"follows":true}}}"#
            let message = try message([(json, Array(following.utf8)), ([:], Array("new".utf8))])
            let type = ["Content-Type": "multipart/related; boundary=\"b\""]
            let put = await bed.send(.put, "/db/follows?rev=\(revisions[2].old)", type, message)
            #expect(put.status == 201, "\(put.text)")
            try await bed.attach("/db/single/a?rev=\(revisions[3].old)", Array("new".utf8))
            for (id, old) in revisions {
                #expect(await bed.send(.get, "/db/\(id)").json["_attachments"]?["a"]?["revpos"] == 2, "\(id)")
                // Who has the old revision gets the content.
                let path = "/db/\(id)?atts_since=%5B%22\(old)%22%5D"
                let since = await bed.send(.get, path).json
                #expect(since["_attachments"]?["a"]?["data"] == "bmV3", "\(id)")
                let related = await bed.send(.get, path, ["Accept": "multipart/related"])
                #expect(try MessageParts.read(related).last?.content == Array("new".utf8), "\(id)")
            }
        }
    }

    @Test(arguments: AttachmentBed.types) func aCopyHasTheContentsAsItsOwn(_ type: StorageType) async throws {
        try await withAttachments(type) { bed in
            let first = try await bed.put("/db/d", #"{"x":1}"#)
            let second = try await bed.put("/db/d?rev=\(first)", #"{"x":2}"#)
            try await bed.attach("/db/d/a?rev=\(second)", Array("third".utf8))
            let copy = await bed.send(.copy, "/db/d", ["Destination": "e"])
            #expect(copy.status == 201, "\(copy.text)")
            #expect(await bed.send(.get, "/db/e").json["_attachments"]?["a"]?["revpos"] == 1)
            #expect(await bed.send(.get, "/db/e/a").text == "third")
            // Over a document that has an attachment of that name already.
            let other = try await bed.put("/db/f", #"{"_attachments":{"a":{"data":"b2xk"}}}"#)
            let over = await bed.send(.copy, "/db/d", ["Destination": "f?rev=\(other)"])
            #expect(over.status == 201, "\(over.text)")
            #expect(await bed.send(.get, "/db/f").json["_attachments"]?["a"]?["revpos"] == 2)
            #expect(await bed.send(.get, "/db/f/a").text == "third")
            try bed.expectContents(2)
        }
    }
}
