internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Entries that name the content of another document. A client may know a digest that it must not read the content of.
@Suite("A digest counts within its own document") struct ForeignDigestTests {
    private let json = ["Content-Type": "application/json"]
    private let secret = Array("the secret content".utf8)
    private var digests: [String] {
        [
            "sha1-" + Data(Insecure.SHA1.hash(data: Data(secret))).base64EncodedString(),
            "md5-" + Data(Insecure.MD5.hash(data: Data(secret))).base64EncodedString(),
        ]
    }

    @Test("no door gives a content that only another document has", arguments: AttachmentBed.types)
    func doors(_ storage: StorageType) async throws {
        try await withAttachments(storage) { bed in
            try await bed.attach("/db/secret/x", secret)
            let rev = try await bed.put("/db/own", "{}")
            for digest in digests {
                for source in ["stub", "follows"] {
                    let entries = #""_attachments":{"x":{"\#(source)":true,"digest":"\#(digest)","revpos":1}}"#
                    let history = #""_rev":"2-a","_revisions":{"start":2,"ids":["a","\#(rev.dropFirst(2))"]}"#
                    for (path, body) in [
                        ("/db/new", "{\(entries)}"), ("/db/own", #"{"_rev":"\#(rev)",\#(entries)}"#),
                        ("/db/new?new_edits=false", #"{"_rev":"1-a",\#(entries)}"#),
                        ("/db/own?new_edits=false", "{\(history),\(entries)}"),
                    ] {
                        let put = await bed.send(.put, path, json, Array(body.utf8))
                        #expect(put.status == 412 && put.member("error") == "missing_stub", "\(path): \(put.text)")
                    }
                    let post = await bed.send(.post, "/db", json, Array(#"{"_id":"new",\#(entries)}"#.utf8))
                    #expect(post.status == 412, "\(post.text)")
                    for (flag, member) in [("true", #""_id":"new""#), ("false", #""_id":"own",\#(history)"#)] {
                        let docs =
                            #"{"new_edits":\#(flag),"docs":[{"_id":"good-\#(flag)"\#(flag == "true" ? "" : ",\"_rev\":\"1-b\"")},{\#(member),\#(entries)}]}"#
                        let rows = await bed.send(.post, "/db/_bulk_docs", json, Array(docs.utf8))
                        #expect(rows.text.contains("missing_stub"), "\(flag): \(rows.text)")
                    }
                    // A message with a part of its own does not open the others.
                    let own = #"{"_attachments":{"a":{"follows":true},"x":{"stub":true,"digest":"\#(digest)"}}}"#
                    let parts = try message([([:], Array(own.utf8)), ([:], Array("A".utf8))])
                    let type = ["Content-Type": "multipart/related; boundary=b"]
                    #expect(await bed.send(.put, "/db/new", type, parts).status == 412)
                }
            }
            #expect(await bed.send(.get, "/db/new").status == 404)
            #expect(await bed.send(.get, "/db/own").member("_rev") == rev)
            try bed.expectContents(1)
            // Who brings the content has it, stored once.
            let brought = secret.base64
            try await bed.put("/db/brought", #"{"_attachments":{"x":{"data":"\#(brought)"}}}"#)
            #expect(await bed.send(.get, "/db/brought/x").body == secret)
            try bed.expectContents(1)
            // A copy brings it along.
            #expect(await bed.send(HTTPRequest.Method("COPY")!, "/db/secret", ["Destination": "copy"]).status == 201)
            #expect(await bed.send(.get, "/db/copy/x").body == secret)
        }
    }

    @Test("one document renames, repeats and gets back its own", arguments: AttachmentBed.types)
    func own(_ storage: StorageType) async throws {
        try await withAttachments(storage) { bed in
            let first = try await bed.attach("/db/d/x", secret)
            let second = try await bed.put(
                "/db/d",
                #"{"_rev":"\#(first)","_attachments":{"y":{"stub":true,"digest":"\#(digests[0])"}}}"#
            )
            #expect(await bed.send(.get, "/db/d/y").body == secret)
            let third = try await bed.put("/db/d", #"{"_rev":"\#(second)"}"#)
            try await bed.put(
                "/db/d",
                #"{"_rev":"\#(third)","_attachments":{"x":{"stub":true,"digest":"\#(digests[1])"}}}"#
            )
            #expect(await bed.send(.get, "/db/d/x").body == secret)
        }
    }
}

extension [UInt8] {
    fileprivate var base64: String { Data(self).base64EncodedString() }
}
