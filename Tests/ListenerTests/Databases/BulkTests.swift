internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import Testing

@testable internal import SetteeListener

/// Requests about many documents.
@Suite struct BulkTests {
    @Test("each document of _bulk_docs has an outcome of its own", arguments: ListenerBed.types)
    func outcomes(type: StorageType) async throws {
        try await withListener(type) { bed in
            let revision = try await bed.put("there", #"{"n":1}"#)
            let reply = try await bed.send(
                .post,
                "/db/_bulk_docs",
                #"""
                {"docs":[{"_id":"a","x":[1,"]}"]},{"n":2},{"_id":"there"},{"_id":"there","_rev":"\#(revision)","n":3},
                {"_id":"s","_attachments":{"x":{"stub":true}}},{"_id":"_local/l","n":5}]}
                """#
            )
            #expect(reply.status == 201)
            let rows = try reply.rows()
            #expect(rows.map { $0["ok"]?.boolValue ?? false } == [true, true, false, true, false, true])
            #expect(rows[2]["error"]?.stringValue == "conflict")
            #expect(rows[4]["error"]?.stringValue == "missing_stub")
            #expect(rows[5]["rev"]?.stringValue == "0-1")
            #expect(rows[1]["id"]?.stringValue?.isEmpty == false)
            #expect(try bed.database.documentCount == 3)
            #expect(try await bed.send(.get, "/db/there").object()["n"]?.intValue == 3)
        }
    }

    private static let noDocuments = [
        (#"{"_id":"x","_zing":4}"#, "doc_validation"), (#"{"_id":5}"#, "bad_request"),
        (#"{"_id":null}"#, "bad_request"), (#"{"_id":""}"#, "illegal_docid"), (#"{"_id":"_bad"}"#, "illegal_docid"),
        (#"{"_id":"x\u0000y"}"#, "illegal_docid"), (#"{"_id":"x","_rev":"nonsense"}"#, "bad_request"),
        (#"{"_id":"x","_rev":5}"#, "bad_request"), (#"{"_id":"x","_deleted":5}"#, "bad_request"),
        (#"{"_id":"x","_attachments":5}"#, "bad_request"), ("7", "bad_request"), (#""text""#, "bad_request"),
        ("null", "bad_request"), ("[]", "bad_request"), (#"{"_id":"x","n":[1,]}"#, "bad_request"),
    ]

    // CouchDB does so, and PouchDB's suite looks for it.
    @Test("what cannot be a document refuses the whole request, and nothing is stored", arguments: ListenerBed.types)
    func noDocument(type: StorageType) async throws {
        try await withListener(type) { bed in
            let many = (0..<600).map { #"{"_id":"m\#($0)"}"# }.joined(separator: ",")
            for (document, error) in BulkTests.noDocuments {
                for docs in [#"{"_id":"a"},\#(document),{"_id":"b"}"#, "\(many),\(document)"] {
                    let reply = try await bed.send(.post, "/db/_bulk_docs", #"{"docs":[\#(docs)]}"#)
                    #expect(reply.status == 400, "\(document)")
                    #expect(try reply.object()["error"]?.stringValue == error, "\(document): \(reply.text)")
                }
            }
            #expect(try bed.database.documentCount == 0)
        }
    }

    /// CouchDB's replicator counts rows as failures of their documents, and ends at another status.
    @Test("of revisions from elsewhere those without ID or revision refuse all", arguments: ListenerBed.types)
    func noRevision(type: StorageType) async throws {
        try await withListener(type) { bed in
            func send(_ document: String) async throws -> Reply {
                let docs = #"{"_id":"a","_rev":"1-a"},\#(document)"#
                return try await bed.send(.post, "/db/_bulk_docs", #"{"docs":[\#(docs)],"new_edits":false}"#)
            }
            for document in [#"{"_id":"x"}"#, #"{"_rev":"1-a"}"#, #"{"_id":5,"_rev":"1-a"}"#, "7", "[]", "{}"] {
                #expect(try await send(document).status == 400, "\(document)")
            }
            #expect(try bed.database.documentCount == 0)
            let refused = [
                (#"{"_id":"x","_rev":"1-a","_zing":4}"#, "x"), (#"{"_id":"_bad","_rev":"1-a"}"#, "_bad"),
                (#"{"_id":"x","_rev":"nonsense"}"#, "x"), (#"{"_id":"x","_rev":"1-a","_deleted":5}"#, "x"),
            ]
            for (document, id) in refused {
                let reply = try await send(document)
                #expect(reply.status == 201, "\(document)")
                let rows = try reply.rows()
                #expect(rows.count == 1 && rows[0]["id"]?.stringValue == id, "\(reply.text)")
                #expect(rows[0]["rev"] != nil && rows[0]["error"] != nil, "\(reply.text)")
            }
            #expect(try await send(#"{"_id":"_local/x","n":1}"#).text == "[]\n")
            #expect(try await bed.send(.get, "/db/_local/x").status == 200)
            #expect(try bed.database.documentCount == 1)
        }
    }

    @Test("revisions from elsewhere keep their IDs, and only errors are told", arguments: ListenerBed.types)
    func foreign(type: StorageType) async throws {
        try await withListener(type) { bed in
            let docs = #"""
                {"docs":[{"_id":"a","_rev":"3-c","_revisions":{"start":3,"ids":["c","b","a"]},"n":1},
                {"_id":"b","_rev":"2-x","_deleted":true},{"_id":"_c","_rev":"1-x"},{"_id":"d","_rev":"nonsense"}],
                "new_edits":false}
                """#
            let reply = try await bed.send(.post, "/db/_bulk_docs", docs)
            #expect(reply.status == 201)
            let rows = try reply.rows()
            #expect(rows.count == 2, "\(reply.text)")
            #expect(
                try await bed.send(.get, "/db/a?revs=true").object()["_revisions"]?.objectValue?["ids"]?.arrayValue
                    == ["c", "b", "a"]
            )
            #expect(try await bed.send(.get, "/db/b").object()["reason"]?.stringValue == "deleted")
            // Again: nothing new, no error.
            let again = try await bed.send(.post, "/db/_bulk_docs", docs)
            #expect(try again.json().arrayValue?.count == 2)
            #expect(try bed.database.documentCount == 1)
        }
    }

    @Test(
        "what is not a request of _bulk_docs is 400",
        arguments: [
            "", "[]", "{}", #"{"docs":{}}"#, #"{"docs":[{}"#, #"{"docs":[{}]}x"#, #"{"docs":[{},]}"#,
            #"{"docs":[,{}]}"#,
            #"{"docs":[}]}"#, #"{"docs":["#, #"{"docs" []}"#, "{\"docs\":[\"", #"{"docs":[],"new_edits":1}"#,
            "\"docs\"",
        ]
    )
    func malformed(body: String) async throws {
        try await withListener(.memory) { bed in
            let reply = try await bed.send(.post, "/db/_bulk_docs", body)
            #expect(reply.status == 400, "\(reply.text)")
            #expect(try bed.database.documentCount == 0)
        }
    }

    @Test("a body over the limit is 413, encoded or not")
    func limit() async throws {
        var options = ListenerOptions()
        options.bulkDocumentsBytes = 1_000
        try await withListener(.memory, options: options) { bed in
            let large = #"{"docs":[{"x":"\#(String(repeating: "x", count: 1_000))"}]}"#
            #expect(try await bed.send(.post, "/db/_bulk_docs", large).status == 413)
            let reply = try await bed.send(
                .post,
                "/db/_bulk_docs",
                "{}",
                headers: [
                    .contentType: "application/json", .contentEncoding: "br",
                ]
            )
            #expect(reply.status == 415)
            let damaged = try await bed.send(
                .post,
                "/db/_bulk_docs",
                "not gzip",
                headers: [
                    .contentType: "application/json", .contentEncoding: "gzip",
                ]
            )
            #expect(damaged.status == 400)
        }
    }

    /// CouchDB's replicator ends at another status, and so do all the documents behind it.
    @Test("an ID that no document can have concerns that ID alone", arguments: ListenerBed.types)
    func strangeIDs(type: StorageType) async throws {
        try await withListener(type) { bed in
            let known = try await bed.put("a", "{}")
            let asked = #"{"a":["\#(known)"],"b":["1-b"],"x\u0000y":["1-c","2-d"],"_odd":["1-e"]}"#
            let diff = try await bed.send(.post, "/db/_revs_diff", asked)
            #expect(diff.status == 200)
            let found = try diff.object()
            #expect(Set(found.keys) == ["b", "x\0y", "_odd"])
            #expect(found["x\0y"] == ["missing": ["1-c", "2-d"]])
            let missing = try await bed.send(.post, "/db/_missing_revs", asked).object()["missing_revs"]
            #expect(missing?["_odd"] == ["1-e"])
            let bulk = #"{"new_edits":false,"docs":[{"_id":"x\u0000y","_rev":"1-c"},{"_id":"b","_rev":"1-b"}]}"#
            let rows = try await bed.send(.post, "/db/_bulk_docs", bulk).rows()
            #expect(rows.count == 1)
            #expect(rows.first?["id"] == "x\0y")
            #expect(try await bed.send(.get, "/db/b").status == 200)
        }
    }

    @Test("_revs_diff tells what is missing, and what may be its ancestors", arguments: ListenerBed.types)
    func diff(type: StorageType) async throws {
        try await withListener(type) { bed in
            let revision = try await bed.put("a", "{}")
            let asked = #"{"a":["\#(revision)","2-new"],"b":["1-x"],"c":[]}"#
            let diff = try await bed.send(.post, "/db/_revs_diff", asked)
            #expect(
                diff.text
                    == #"{"a":{"missing":["2-new"],"possible_ancestors":["\#(revision)"]},"b":{"missing":["1-x"]}}"#
                    + "\n"
            )
            let missing = try await bed.send(.post, "/db/_missing_revs", asked)
            #expect(missing.text == #"{"missing_revs":{"a":["2-new"],"b":["1-x"]}}"# + "\n")
            for body in ["[]", #"{"a":1}"#, #"{"a":[1]}"#, #"{"a":["x"]}"#] {
                #expect(try await bed.send(.post, "/db/_revs_diff", body).status == 400, "\(body)")
            }
        }
    }

    // A whole request failed for one item, and `atts_since` was ignored.
    @Test("_bulk_get says for each item what is wrong with it, in JSON and in parts")
    func wrongItems() async throws {
        try await withListener(.memory) { bed in
            try await bed.put("a", "{}")
            let items: [(item: String, id: JSONValue, rev: JSONValue, error: JSONValue)] = [
                (#"{"rev":"1-a"}"#, .null, .null, "bad_request"), (#"{"id":5}"#, .null, .null, "illegal_docid"),
                (#"{"id":"_bad"}"#, "_bad", .null, "illegal_docid"),
                (#"{"id":"_local/a"}"#, "_local/a", .null, "illegal_docid"),
                (#"{"id":"a","rev":"z"}"#, "a", "z", "bad_request"),
                (#"{"id":"a","rev":5}"#, "a", "undefined", "bad_request"),
                (#"{"id":"a","atts_since":"1-a"}"#, "a", "undefined", "bad_request"),
                (#"{"id":"a","atts_since":["1-a","z"]}"#, "a", "z", "bad_request"),
                (#"{"id":"none"}"#, "none", "undefined", "not_found"),
            ]
            let body = #"{"docs":[\#(items.map(\.item).joined(separator: ",")),{"id":"a"}]}"#
            let results = try await bed.send(.post, "/db/_bulk_get", body).rows("results")
            #expect(results.count == items.count + 1)
            for (result, (_, id, rev, error)) in zip(results, items) {
                let told = result["docs"]?.arrayValue?.first?.objectValue?["error"]?.objectValue
                #expect(result["id"] == id && told?["id"] == id, "\(result)")
                #expect(told?["rev"] == rev && told?["error"] == error, "\(result)")
            }
            #expect(results.last?["docs"]?.arrayValue?.first?.objectValue?["ok"] != nil)
            let parts = try await bed.send(.post, "/db/_bulk_get", body, headers: [.accept: "multipart/mixed"])
            #expect(parts.status == 200)
            #expect(parts.text.ranges(of: #"error="true""#).count == items.count)
        }
    }

    @Test("_bulk_get answers each item, in order", arguments: ListenerBed.types)
    func bulkGet(type: StorageType) async throws {
        try await withListener(type) { bed in
            let first = try await bed.put("a", #"{"n":1}"#)
            let second = try await bed.put("a", #"{"n":2,"_rev":"\#(first)"}"#)
            let body = #"""
                {"docs":[{"id":"a"},{"id":"none"},{"id":"a","rev":"\#(first)"},{"id":"a","rev":"9-x"},{"id":"_bad"},
                {"id":"a","rev":"z"}]}
                """#
            let reply = try await bed.send(.post, "/db/_bulk_get?revs=true", body)
            #expect(reply.status == 200)
            let results = try reply.rows("results")
            #expect(results.map { $0["id"]?.stringValue } == ["a", "none", "a", "a", "_bad", "a"])
            let docs = results.map { $0["docs"]?.arrayValue?.first?.objectValue ?? JSONObject() }
            #expect(docs[0]["ok"]?.objectValue?["_rev"]?.stringValue == second)
            #expect(docs[0]["ok"]?.objectValue?["_revisions"]?.objectValue?["start"]?.intValue == 2)
            #expect(docs[2]["ok"]?.objectValue?["n"]?.intValue == 1)
            #expect(docs[1]["error"]?.objectValue?["error"]?.stringValue == "not_found")
            #expect(docs[3]["error"]?.objectValue?["rev"]?.stringValue == "9-x")
            #expect(docs[4]["error"] != nil)
            #expect(docs[5]["error"] != nil)
            let latest = try await bed.send(
                .post,
                "/db/_bulk_get?latest=true",
                #"{"docs":[{"id":"a","rev":"\#(first)"}]}"#
            )
            #expect(latest.text.contains(second))
            for body in ["{}", #"{"docs":[1]}"#] {
                #expect(try await bed.send(.post, "/db/_bulk_get", body).status == 400, "\(body)")
            }
        }
    }
}
