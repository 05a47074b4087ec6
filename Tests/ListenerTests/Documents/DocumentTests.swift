internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import Testing

@testable internal import SetteeListener

/// Documents by their IDs.
@Suite struct DocumentTests {
    @Test("a document is written, read, changed and deleted", arguments: ListenerBed.types)
    func life(type: StorageType) async throws {
        try await withListener(type) { bed in
            let made = try await bed.send(.put, "/db/a%2Fb%20c", #"{"n":1,"text":"é\n"}"#)
            #expect(made.status == 201)
            #expect(made.headers[.location] == "http://127.0.0.1:5984/db/a%2Fb%20c")
            let first = try #require(try made.object()["rev"]?.stringValue)
            #expect(made.headers[.eTag] == "\"\(first)\"")
            let read = try await bed.send(.get, "/db/a%2Fb%20c")
            #expect(read.text == #"{"_id":"a/b c","_rev":"\#(first)","n":1,"text":"é\n"}"# + "\n")
            #expect(read.headers[.eTag] == "\"\(first)\"")
            #expect(read.headers[.contentType] == "application/json")
            let conflict = try await bed.send(.put, "/db/a%2Fb%20c", "{}")
            #expect(conflict.status == 409)
            #expect(try conflict.object()["reason"]?.stringValue == "Document update conflict.")
            // The parent may be in the body, the query or the header.
            let second = try await bed.put("a%2Fb%20c", #"{"_rev":"\#(first)"}"#)
            let third = try await bed.put("a%2Fb%20c?rev=\(second)", "{}")
            let changed = try await bed.send(.put, "/db/a%2Fb%20c", "{}", headers: [.ifMatch: "\"\(third)\""])
            let fourth = try #require(try changed.object()["rev"]?.stringValue)
            #expect(try await bed.send(.put, "/db/a%2Fb%20c?rev=\(third)", #"{"_rev":"\#(fourth)"}"#).status == 400)
            #expect(try await bed.send(.get, "/db/a%2Fb%20c?rev=\(first)").object()["n"]?.intValue == 1)
            #expect(try await bed.send(.delete, "/db/a%2Fb%20c").status == 409)
            #expect(try await bed.send(.delete, "/db/a%2Fb%20c?rev=\(first)").status == 409)
            let deleted = try await bed.send(.delete, "/db/a%2Fb%20c?rev=\(fourth)")
            #expect(deleted.status == 200)
            #expect(try await bed.send(.get, "/db/a%2Fb%20c").object()["reason"]?.stringValue == "deleted")
            #expect(try await bed.send(.get, "/db/none").object()["reason"]?.stringValue == "missing")
            #expect(try await bed.send(.delete, "/db/none?rev=1-a").status == 404)
            let tombstone = try #require(try deleted.object()["rev"]?.stringValue)
            let stub = try await bed.send(.get, "/db/a%2Fb%20c?rev=\(tombstone)").object()
            #expect(stub["_deleted"]?.boolValue == true)
            // A deleted document is made anew without a revision.
            #expect(try await bed.send(.put, "/db/a%2Fb%20c", "{}").status == 201)
        }
    }

    @Test("what was asked for is in the document", arguments: ListenerBed.types)
    func metadata(type: StorageType) async throws {
        try await withListener(type) { bed in
            let docs = #"""
                {"docs":[{"_id":"x","_rev":"2-b","_revisions":{"start":2,"ids":["b","a"]},"n":1},
                {"_id":"x","_rev":"2-c","_revisions":{"start":2,"ids":["c","a"]},"n":2},
                {"_id":"x","_rev":"3-d","_revisions":{"start":3,"ids":["d","z","a"]},"_deleted":true}],"new_edits":false}
                """#
            #expect(try await bed.send(.post, "/db/_bulk_docs", docs).text == "[]\n")
            let plain = try await bed.send(.get, "/db/x")
            #expect(try plain.object().keys.sorted() == ["_id", "_rev", "n"])
            #expect(plain.headers[.eTag] == "\"2-c\"")
            let all = try await bed.send(.get, "/db/x?meta=true&revs=true&local_seq=true")
            #expect(all.headers[.eTag] == nil)
            let object = try all.object()
            #expect(object["_rev"]?.stringValue == "2-c")
            #expect(object["_revisions"]?.objectValue == ["start": 2, "ids": ["c", "a"]])
            #expect(object["_conflicts"]?.arrayValue == ["2-b"])
            #expect(object["_deleted_conflicts"]?.arrayValue == ["3-d"])
            let info = try #require(object["_revs_info"]?.arrayValue)
            #expect(info.first?.objectValue == ["rev": "2-c", "status": "available"])
            #expect(info.last?.objectValue == ["rev": "1-a", "status": "missing"])
            #expect(object["_local_seq"]?.intValue != nil)
            #expect(try await bed.send(.get, "/db/x?rev=1-a").status == 404)
            #expect(try await bed.send(.get, "/db/x?rev=1-a&latest=true").object()["_rev"]?.stringValue == "2-c")
            #expect(try await bed.send(.get, "/db/x?rev=nonsense").status == 400)
            #expect(try await bed.send(.get, "/db/x?revs=perhaps").status == 400)
        }
    }

    @Test("who has the document is not sent it again")
    func conditional() async throws {
        try await withListener(.sqlite) { bed in
            let revision = try await bed.put("x", "{}")
            for (header, status) in [
                ("\"\(revision)\"", 304), ("W/\"\(revision)\"", 304), ("*", 304), ("\"1-a\", \"\(revision)\"", 304),
                ("\"1-a\"", 200),
            ] {
                let reply = try await bed.send(.get, "/db/x", headers: [.ifNoneMatch: header])
                #expect(reply.status == status, "\(header)")
                #expect(reply.body.isEmpty == (status == 304))
            }
            #expect(try await bed.send(.put, "/db/x", "{}", headers: [.ifMatch: "\"1-a\""]).status == 409)
            #expect(try await bed.send(.put, "/db/x?rev=1-a", "{}", headers: [.ifMatch: "\"1-b\""]).status == 400)
        }
    }

    @Test("local documents have revisions of their own form", arguments: ListenerBed.types)
    func local(type: StorageType) async throws {
        try await withListener(type) { bed in
            let made = try await bed.send(.put, "/db/_local/log", #"{"n":1}"#)
            #expect(try made.object()["rev"]?.stringValue == "0-1")
            #expect(
                try await bed.send(.get, "/db/_local/log").text == #"{"_id":"_local/log","_rev":"0-1","n":1}"# + "\n"
            )
            let changed = try await bed.send(.put, "/db/_local/log", #"{"_rev":"0-1","n":2}"#)
            #expect(try changed.object()["rev"]?.stringValue == "0-2", "\(changed.text)")
            #expect(try await bed.send(.put, "/db/_local/log", #"{"_rev":"0-1","n":3}"#).status == 409)
            let listed = try await bed.send(.get, "/db/_local_docs?include_docs=true")
            #expect(try listed.rows("rows").count == 1)
            #expect(listed.headers[.eTag] == nil)
            #expect(try await bed.send(.delete, "/db/_local/log?rev=0-2").status == 200)
            #expect(try await bed.send(.get, "/db/_local/log").status == 404)
        }
    }

    @Test("a PUT is taken as JSON whatever its type is, since curl says it is a form")
    func anyType() async throws {
        try await withListener(.memory) { bed in
            for (number, type) in ["application/x-www-form-urlencoded", "text/plain", ""].enumerated() {
                let reply = try await bed.send(.put, "/db/d\(number)", "{}", headers: [.contentType: type])
                #expect(reply.status == 201, "\(type): \(reply.text)")
            }
            let rules = try await bed.send(.put, "/db/_security", "{}", headers: [.contentType: "text/plain"])
            #expect(rules.status == 200)
        }
    }

    @Test("COPY makes a document of another one", arguments: ListenerBed.types)
    func copy(type: StorageType) async throws {
        try await withListener(type) { bed in
            try await bed.put("from", #"{"n":1}"#)
            let destination = try #require(HTTPField.Name("Destination"))
            let copied = try await bed.send(.copy, "/db/from", headers: [destination: "to"])
            #expect(copied.status == 201)
            #expect(copied.headers[.location] == "http://127.0.0.1:5984/db/to")
            let revision = try #require(try copied.object()["rev"]?.stringValue)
            #expect(try await bed.send(.get, "/db/to").object()["n"]?.intValue == 1)
            #expect(try await bed.send(.copy, "/db/from", headers: [destination: "to"]).status == 409)
            let again = try await bed.send(.copy, "/db/from", headers: [destination: "to?rev=\(revision)"])
            #expect(again.status == 201)
            #expect(try await bed.send(.copy, "/db/from").status == 400)
            // It would become a document of that name.
            for url in ["http://127.0.0.1:5984/db/x", "HTTPS://example.com/db/x"] {
                #expect(try await bed.send(.copy, "/db/from", headers: [destination: url]).status == 400)
            }
            #expect(try bed.database.documentCount == 2)
            #expect(try await bed.send(.copy, "/db/none", headers: [destination: "to2"]).status == 404)
        }
    }

    @Test(
        "what cannot be a document is refused, and nothing is stored",
        arguments: [
            ("/db/x", "{", 400), ("/db/x", "[]", 400), ("/db/x", "", 400), ("/db/x", #"{"n":1e999}"#, 400),
            ("/db/x", #"{"_unknown":1}"#, 400), ("/db/x", #"{"_rev":1}"#, 400),
            ("/db/_x", "{}", 404), ("/db/_design/", "{}", 404), ("/db/x", "{\"a\":\"\u{0}\"}", 400),
            ("/db/x?rev=z", "{}", 400), ("/db/x?new_edits=false", "{}", 400), ("/none/x", "{}", 404),
        ]
    )
    func refused(path: String, body: String, status: Int) async throws {
        try await withListener(.memory) { bed in
            let reply = try await bed.send(.put, path, body)
            #expect(reply.status == status, "\(reply.text)")
            #expect(try bed.database.documentCount == 0)
        }
    }

    @Test("a document without an ID gets one")
    func post() async throws {
        try await withListener(.memory) { bed in
            let made = try await bed.send(.post, "/db", #"{"n":1}"#)
            #expect(made.status == 201)
            let id = try #require(try made.object()["id"]?.stringValue)
            #expect(made.headers[.location] == "http://127.0.0.1:5984/db/\(id)")
            #expect(try await bed.send(.post, "/db", #"{"_id":"own"}"#).object()["id"]?.stringValue == "own")
            #expect(try await bed.send(.post, "/db?batch=ok", "{}").status == 202)
        }
    }
}
