internal import Foundation
internal import HTTPTypes
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// What CouchDB's replicator writes, one document at a time.
@Suite struct ReplicatedDocumentTests {
    private let type = ["Content-Type": "multipart/related; boundary=\"b\""]
    private let json = ["Content-Type": "application/json"]

    private func put(_ bed: AttachmentBed, _ path: String, _ text: String) async -> CollectedAnswer {
        await bed.send(.put, path, json, Array(text.utf8))
    }

    @Test(arguments: AttachmentBed.types) func aKnownRevisionWithoutBodyIsTaken(_ storage: StorageType) async throws {
        try await withAttachments(storage) { bed in
            let second = #"{"_revisions":{"start":2,"ids":["b","a"]},"n":2}"#
            for text in [#"{"_rev":"1-a","n":1}"#, second] {
                #expect(await put(bed, "/db/d?new_edits=false", text).status == 201)
            }
            try bed.database().compact()
            #expect(await bed.send(.get, "/db/d?rev=1-a").status == 404)
            for (text, revision) in [(#"{"_rev":"1-a","n":1}"#, "1-a"), (second, "2-b")] {
                let again = await put(bed, "/db/d?new_edits=false", text)
                #expect(again.status == 201 && again.member("rev") == revision, "\(again.text)")
            }
            #expect(await bed.send(.get, "/db/d").json["n"] == 2)
        }
    }

    @Test(arguments: AttachmentBed.types) func revisionsCountWhereRevDiffers(_ storage: StorageType) async throws {
        try await withAttachments(storage) { bed in
            let text = #"{"_id":"d","_rev":"2-x","_revisions":{"start":2,"ids":["b","a"]}}"#
            let one = await put(bed, "/db/d?new_edits=false", text)
            #expect(one.status == 201 && one.member("rev") == "2-b", "\(one.text)")
            let bulk = #"{"docs":[\#(text.replacing("\"d\"", with: "\"e\""))],"new_edits":false}"#
            #expect(await bed.send(.post, "/db/_bulk_docs", json, Array(bulk.utf8)).status == 201)
            #expect(await bed.send(.get, "/db/e").json["_rev"] == "2-b")
            let edit = await put(bed, "/db/d", text)
            #expect(edit.status == 201 && edit.member("rev")?.hasPrefix("3-") == true, "\(edit.text)")
            #expect(await put(bed, "/db/d?rev=2-x", text).status == 400)
        }
    }

    @Test(arguments: AttachmentBed.types) func deletingWhatIsDeletedIsNotFound(_ storage: StorageType) async throws {
        try await withAttachments(storage) { bed in
            let first = try await bed.put("/db/d", "{}")
            let deleted = await bed.send(.delete, "/db/d?rev=\(first)")
            let tombstone = try #require(deleted.member("rev"))
            for query in ["", "?rev=\(first)", "?rev=\(tombstone)"] {
                let again = await bed.send(.delete, "/db/d\(query)")
                #expect(again.status == 404 && again.member("reason") == "deleted", "\(query): \(again.text)")
            }
            #expect(await bed.send(.delete, "/db/none").member("reason") == "missing")
            #expect(try bed.database()["d"].history().count == 2)
        }
    }

    /// CouchDB does not decode what is uploaded to it with Content-Encoding, and says the encoded length twice.
    @Test(arguments: AttachmentBed.types) func takesWhatCouchDBGotEncoded(_ storage: StorageType) async throws {
        try await withAttachments(storage) { bed in
            let plain = String(repeating: "Little, Big ", count: 9)
            let encoded = try gzip(Array(plain.utf8))
            let lengths = #""encoding":"gzip","length":\#(encoded.count),"encoded_length":\#(encoded.count),"revpos":1"#
            let document = #"{"_rev":"1-a","_attachments":{"a":{"follows":true,\#(lengths)}}}"#
            let parts = try message([(json, Array(document.utf8)), (["Content-Encoding": "gzip"], encoded)])
            let put = await bed.send(.put, "/db/d?new_edits=false", type, parts)
            #expect(put.status == 201, "\(put.text)")
            let data = Data(encoded).base64EncodedString()
            let decoded = Data(plain.utf8).base64EncodedString()
            for (id, data) in [("inline", data), ("decoded", decoded)] {
                let document = #"{"_rev":"1-a","_attachments":{"a":{"data":"\#(data)",\#(lengths)}}}"#
                let put = await self.put(bed, "/db/\(id)?new_edits=false", document)
                #expect(put.status == 201, "\(put.text)")
            }
            for id in ["d", "inline", "decoded"] {
                #expect(await bed.send(.get, "/db/\(id)/a").text == plain, "\(id)")
                let entry = await bed.send(.get, "/db/\(id)?att_encoding_info=true").json["_attachments"]?["a"]
                #expect(entry?["length"]?.intValue == Int64(plain.utf8.count), "\(id)")
                #expect((entry?["encoding"] == "gzip") == (id != "decoded"), "\(id)")
            }
            // A stub of the next revision says the same lengths.
            let next = #"{"_revisions":{"start":2,"ids":["b","a"]},"_attachments":{"a":{"stub":true,\#(lengths)}}}"#
            #expect(await self.put(bed, "/db/d?new_edits=false", next).status == 201)
            #expect(await bed.send(.get, "/db/d/a").text == plain)
            // Content that is no gzip is refused for its own sake.
            let bad = try message([(json, Array(document.utf8)), ([:], Array(plain.utf8))])
            let refused = await bed.send(.put, "/db/bad?new_edits=false", type, bad)
            #expect(refused.status == 403 && refused.member("error") == "forbidden", "\(refused.text)")
        }
    }
}
