internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import Testing

@testable internal import SetteeListener

/// What clients of CouchDB rely on without its documentation saying so.
@Suite struct CouchDBHabitTests {
    @Test("the ID in the URL counts, not that in the body: aiocouch sends design documents without their prefix")
    func otherID() async throws {
        try await withListener(.memory) { bed in
            let made = try await bed.send(.put, "/db/_design/x", #"{"_id":"x","language":"javascript"}"#)
            #expect(made.status == 201)
            #expect(try made.object()["id"]?.stringValue == "_design/x")
            #expect(try await bed.send(.get, "/db/_design/x").object()["_id"]?.stringValue == "_design/x")
            #expect(try await bed.send(.get, "/db/x").status == 404)
        }
    }

    @Test("integers outside of 64 bits are taken at every door, with their digits", arguments: ListenerBed.types)
    func longIntegers(type: StorageType) async throws {
        try await withListener(type) { bed in
            let long = "100000000000000000000"
            try await bed.put("a", #"{"n":\#(long)}"#)
            let docs = #"{"docs":[{"_id":"b","n":\#(long)1},{"_id":"c","n":-\#(long)},{"_id":"d","n":1}]}"#
            #expect(try await bed.send(.post, "/db/_bulk_docs", docs).status == 201)
            #expect(try await bed.send(.get, "/db/a").text.contains(#""n":\#(long)}"#))
            #expect(try await bed.send(.get, "/db/b").text.contains(#""n":\#(long)1}"#))
            #expect(try await bed.send(.post, "/db/_all_docs", #"{"keys":[\#(long)]}"#).status == 200)
            let selector = #"{"selector":{"n":{"$gte":\#(long)}}}"#
            let changes = try await bed.send(.post, "/db/_changes?filter=_selector", selector).rows("results")
            #expect(changes.map { $0["id"]?.stringValue } == ["a", "b"])
            #expect(try await bed.send(.put, "/db/_local/x", #"{"n":\#(long)}"#).status == 201)
            #expect(try await bed.send(.get, "/db/_local/x").text.contains(long))
        }
    }

    @Test("a parent of a document that is not there is a conflict", arguments: ListenerBed.types)
    func parentOfNothing(type: StorageType) async throws {
        try await withListener(type) { bed in
            let body = #"{"_rev":"1-a"}"#
            for (path, json) in [
                ("/db/x", body), ("/db/x?rev=1-a", "{}"), ("/db/x/file?rev=1-a", "text"),
                ("/db/_local/x?rev=0-1", "{}"),
            ] {
                let reply = try await bed.send(.put, path, json)
                #expect(reply.status == 409, "\(path): \(reply.text)")
            }
            let bulk = try await bed.send(.post, "/db/_bulk_docs", #"{"docs":[{"_id":"x","_rev":"1-a"},{"_id":"y"}]}"#)
            let rows = try bulk.rows()
            #expect(rows[0]["error"]?.stringValue == "conflict")
            #expect(rows[1]["ok"]?.boolValue == true)
            try await bed.put("from", "{}")
            let destination = try #require(HTTPField.Name("Destination"))
            #expect(try await bed.send(.copy, "/db/from", headers: [destination: "x?rev=1-a"]).status == 409)
            #expect(try await bed.send(.get, "/db/x").status == 404)
        }
    }

    @Test("the answer to batch=ok has no revision")
    func batch() async throws {
        try await withListener(.memory) { bed in
            for reply in [
                try await bed.send(.put, "/db/x?batch=ok", "{}"),
                try await bed.send(.post, "/db?batch=ok", #"{"_id":"y"}"#),
            ] {
                #expect(reply.status == 202)
                #expect(try reply.object().keys.sorted() == ["id", "ok"])
            }
            #expect(try await bed.send(.get, "/db/x").status == 200)
            #expect(try await bed.send(.get, "/db/y").status == 200)
        }
    }

    // LightCouch sends `"length":0` and `"revpos":0` with the data of each new attachment, and was refused.
    @Test("what an attachment's entry says of data that it brings along is ignored", arguments: ListenerBed.types)
    func claims(type: StorageType) async throws {
        try await withListener(type) { bed in
            let entry = #"{"data":"aGk=","length":0,"revpos":0,"stub":false,"digest":"md5-AAAAAAAAAAAAAAAAAAAAAA=="}"#
            let document = #"{"_attachments":{"a.txt":\#(entry)}}"#
            let single = try await bed.send(.put, "/db/x", document)
            #expect(single.status == 201)
            let bulk = #"{"docs":[{"_id":"y","_attachments":{"a.txt":\#(entry)}}]}"#
            let several = try await bed.send(.post, "/db/_bulk_docs", bulk)
            #expect(several.status == 201)
            for path in ["/db/x/a.txt", "/db/y/a.txt"] {
                let read = try await bed.send(.get, path)
                #expect(read.text == "hi")
            }
        }
    }
}
