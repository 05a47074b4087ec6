internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import SetteeTestSupport
internal import Testing

@testable internal import SetteeListener

/// Queries of views: options and answers.
@Suite(.timeLimit(.minutes(5))) struct ViewQueryTests {
    @Test("ranges, order, limits", arguments: ListenerBed.types)
    func ranges(type: StorageType) async throws {
        try await withViews(type) { bed in
            // a 0, e 0, b 1, c 2, d 3.
            let expected: [(String, [String])] = [
                ("", ["a", "e", "b", "c", "d"]), ("descending=true", ["d", "c", "b", "e", "a"]),
                ("startkey=1", ["b", "c", "d"]), ("start_key=2", ["c", "d"]), ("endkey=1", ["a", "e", "b"]),
                ("end_key=0", ["a", "e"]), ("endkey=1&inclusive_end=false", ["a", "e"]),
                ("startkey=1&inclusive_start=false", ["c", "d"]), ("startkey=2&endkey=1", []),
                ("startkey=2&endkey=1&descending=true", ["c", "b"]), ("key=0", ["a", "e"]), ("key=9", []),
                ("limit=2", ["a", "e"]), ("limit=0", []), ("skip=3", ["c", "d"]), ("skip=1&limit=2", ["e", "b"]),
                ("startkey=0&startkey_docid=b", ["e", "b", "c", "d"]),
                ("endkey=0&endkey_docid=b", ["a"]), ("start_key=0&start_key_doc_id=e", ["e", "b", "c", "d"]),
                ("end_key=0&end_key_doc_id=a", ["a"]), ("endkey=0&endkey_docid=_z", []),
                ("stale=ok", ["a", "e", "b", "c", "d"]), ("update=lazy", ["a", "e", "b", "c", "d"]),
                ("stable=true&sorted=true", ["a", "e", "b", "c", "d"]), ("reduce=false", ["a", "e", "b", "c", "d"]),
                ("nobody=knows&this", ["a", "e", "b", "c", "d"]),
            ]
            for (query, ids) in expected {
                let found = try await bed.ids("byNumber", query)
                #expect(found == ids, "\(query)")
            }
            #expect(try await bed.ids("byNumber", "", #"{"startkey":1,"limit":2}"#) == ["b", "c"])
            #expect(try await bed.ids("byNumber", "limit=1", #"{"startkey":1,"limit":2}"#) == ["b"])
            #expect(try await bed.ids("sums", "reduce=false&key=%22y%22") == ["b", "d"])
        }
    }

    @Test("an answer has the rows of CouchDB's shape")
    func shape() async throws {
        try await withViews(.sqlite) { bed in
            let path = "/db/_design/d/_view/byNumber"
            let plain = try await bed.send(.get, path + "?limit=1&skip=1")
            let row = #"{"id":"e","key":0,"value":"x"}"#
            #expect(plain.text == #"{"total_rows":5,"offset":1,"rows":[\#n\#(row)\#n]}\#n"#)
            #expect(plain.headers[.contentType] == "application/json")
            let sequence = try await bed.send(.get, path + "?limit=0&update_seq=true").text
            #expect(sequence == #"{"total_rows":5,"update_seq":5,"offset":0,"rows":[\#n\#n]}\#n"#)
            #expect(try await bed.send(.get, path + "?limit=0&sorted=false").text == #"{"rows":[\#n\#n]}\#n"#)
            let sums = try await bed.send(.get, "/db/_design/d/_view/sums?endkey=%22x%22").text
            #expect(sums == #"{"rows":[\#n{"key":null,"value":2}\#n]}\#n"#)
            #expect(try await bed.send(.head, path).status == 200)
            #expect(try await bed.send(.put, path).status == 405)
        }
    }

    // LightCouch takes the number of a page from it, and whether there is one before.
    @Test("offset counts the rows before the first one, those before the start, too", arguments: ListenerBed.types)
    func offset(type: StorageType) async throws {
        try await withViews(type) { bed in
            func offset(_ view: String, _ query: String) async throws -> JSONValue? {
                try await bed.send(.get, "/db/_design/d/_view/\(view)?\(query)").object()["offset"]
            }
            let expected: [(query: String, offset: Int64)] = [
                ("", 0), ("skip=2", 2), ("skip=9", 5), ("startkey=1", 2), ("startkey=1&skip=2", 4), ("key=2", 3),
                ("startkey=0", 0), ("startkey=0&startkey_docid=b", 1), ("startkey=0.5", 2), ("startkey=9", 5),
                ("startkey=9&skip=3", 5), ("startkey=0&inclusive_start=false", 2), ("endkey=1", 0),
                ("startkey=1&endkey=0", 2), ("descending=true", 0), ("descending=true&startkey=2", 1),
                ("descending=true&startkey=1.5", 2), ("descending=true&startkey=0&startkey_docid=a", 4),
                ("descending=true&startkey=-1", 5), ("startkey=1&limit=0", 2), ("startkey=1&update=lazy", 2),
            ]
            for (query, number) in expected {
                let found = try await offset("byNumber", query)
                #expect(found == .int(number), "\(query)")
            }
            #expect(try await offset("sums", "reduce=false&startkey=%22y%22") == 3)
            let queries = #"{"queries":[{"startkey":3},{"startkey":1,"skip":1}]}"#
            let results = try await bed.send(.post, "/db/_design/d/_view/byNumber/queries", queries).rows("results")
            #expect(results.map { $0["offset"] } == [4, 3])
        }
    }

    /// In a long index the stored parts of a reduction tell it; without any it would take reading the rows.
    @Test("behind a start key of a long view offset is exact, or null", arguments: ListenerBed.types)
    func offsetOfLongView(type: StorageType) async throws {
        try await withViews(type) { bed in
            let database = try bed.database
            try database.put((0..<3_000).map { ("m\($0)", ["n": .int(Int64($0 + 10)), "tag": "x"]) })
            let path = "/db/_design/d/_view/"
            #expect(try await bed.send(.get, path + "byNumber?startkey=2000").object()["offset"] == .null)
            #expect(try await bed.send(.get, path + "byNumber?skip=2").object()["offset"] == 2)
            let unread = try await bed.send(.get, path + "sums?reduce=false&startkey=%22y%22").object()
            #expect(unread["offset"] == .null)
            #expect(try await bed.send(.get, path + "sums").status == 200)
            // 3,003 rows of "x", 2 of "y"; then the arrays: ["x",0] twice, ["x",2], ["x",10] to ["x",3009], and two
            // more.
            let expected: [(query: String, offset: Int64)] = [
                ("startkey=%22y%22", 3_003), ("startkey=%5B%22x%22,0%5D", 3_005), ("startkey=%5B%22x%22,9%5D", 3_008),
                ("startkey=%5B%22x%22,500%5D", 3_498), ("startkey=%5B%22x%22,500%5D&skip=7", 3_505),
                ("startkey=%5B%22x%22,9999%5D", 6_008), ("descending=true&startkey=%5B%22x%22,500%5D", 2_511),
            ]
            for (query, number) in expected {
                let answer = try await bed.send(.get, path + "sums?reduce=false&limit=1&\(query)").object()
                #expect(answer["offset"] == .int(number), "\(query)")
            }
        }
    }

    // PouchDB looks for it.
    @Test("what cannot be summed is an error in its row", arguments: ListenerBed.types)
    func sumFaults(type: StorageType) async throws {
        try await withListener(type) { bed in
            // Held, or its functions would be lost before the first request.
            let database = try bed.database
            try database.view("d/sums").setMap(version: "1", reduce: .sum) { document, emit in
                emit(document["tag"], document["n"])
            }
            let values = ["1", #""two""#, "4", "[1,2]", #"{"a":1}"#]
            for (number, value) in values.enumerated() {
                try await bed.put("d\(number)", #"{"n":\#(value),"tag":"\#("abacd".dropFirst(number).first!)"}"#)
            }
            let grouped = try await bed.send(.get, "/db/_design/d/_view/sums?group=true")
            let groups = try grouped.rows("rows")
            try #require(groups.count == 4, "\(grouped.text)")
            #expect(groups.map { $0["value"] } == [5, groups[1]["value"], [1, 2], ["a": 1]])
            for value in [
                groups[1]["value"], try await bed.send(.get, "/db/_design/d/_view/sums").rows("rows")[0]["value"],
            ] {
                #expect(value?.objectValue?["error"] == "builtin_reduce_error")
                #expect(value?.objectValue?["caused_by"] == "two")
                #expect(value?.objectValue?["reason"]?.stringValue?.isEmpty == false)
            }
            let keys = try await bed.send(.post, "/db/_design/d/_view/sums?group=true", #"{"keys":["b","a"]}"#)
            #expect(try keys.rows("rows").map { $0["value"]?.objectValue?["caused_by"] } == ["two", nil])
            // Objects do not go with numbers.
            let mixed = try await bed.send(.get, "/db/_design/d/_view/sums?startkey=%22c%22").rows("rows")
            #expect(mixed[0]["value"]?.objectValue?["caused_by"] == ["a": 1])
            // The app's own query fails.
            #expect(throws: StorageError.self) { try database.view("d/sums").query().run() }
        }
    }

    @Test("given keys are answered in their order, and as often", arguments: ListenerBed.types)
    func keys(type: StorageType) async throws {
        try await withViews(type) { bed in
            let ids = try await bed.ids("byNumber", "", #"{"keys":[3,0,9,3]}"#)
            #expect(ids == ["d", "a", "e", "d"])
            #expect(try await bed.ids("byNumber", "keys=%5B2,1%5D") == ["c", "b"])
            #expect(try await bed.ids("byNumber", "limit=2&skip=1", #"{"keys":[3,0,9,3]}"#) == ["a", "e"])
            // The documents of the ends hold for each key.
            for (query, ids) in [
                ("startkey_docid=b", ["d", "e"]), ("endkey_docid=d", ["d", "a"]),
                ("start_key_doc_id=b&end_key_doc_id=d", ["d"]), ("endkey_docid=a&inclusive_end=false", []),
                ("descending=true&startkey_docid=d", ["a", "d"]), ("descending=true&endkey_docid=b", ["e", "d"]),
            ] {
                #expect(try await bed.ids("byNumber", query, #"{"keys":[3,0]}"#) == ids, "\(query)")
            }
            let sum = try await bed.pairs("sums", "group=true&startkey_docid=c", #"{"keys":["x","y"]}"#)
            #expect(sum == [#""x": 2"#, #""y": 3"#])
            #expect(try await bed.ids("byNumber", "descending=true", #"{"keys":[3,0,1]}"#) == ["b", "e", "a", "d"])
            #expect(try await bed.ids("byNumber", "", #"{"keys":[]}"#) == [])
            let groups = try await bed.pairs("sums", "group=true", #"{"keys":["y","x","z","y","y"]}"#)
            #expect(groups == [#""y": 4"#, #""x": 2"#, #""y": 4"#, #""y": 4"#])
        }
    }

    @Test("reductions and groups", arguments: ListenerBed.types)
    func reductions(type: StorageType) async throws {
        try await withViews(type) { bed in
            let all = try await bed.pairs("sums")
            #expect(all == ["null: 12"])
            #expect(try await bed.pairs("sums", "startkey=%5B%22a%22%5D") == ["null: 6"])
            #expect(try await bed.pairs("sums", "startkey=%7B%7D") == [])
            #expect(try await bed.pairs("sums", "group_level=0") == ["null: 12"])
            let first = [#""x": 2"#, #""y": 4"#, #"["x"]: 2"#, #"["y"]: 4"#]
            #expect(try await bed.pairs("sums", "group_level=1") == first)
            // Keys that are no arrays are groups of their own at each level.
            let second = [
                #""x": 2"#, #""y": 4"#, #"["x",0]: 0"#, #"["x",2]: 2"#, #"["y",1]: 1"#, #"["y",3]: 3"#,
            ]
            #expect(try await bed.pairs("sums", "group_level=2") == second)
            #expect(try await bed.pairs("sums", "group=true") == second)
            #expect(try await bed.pairs("sums", "group=true&descending=true&limit=2") == second.suffix(2).reversed())
            #expect(try await bed.pairs("sums", "group=true&skip=1&limit=1") == [#""y": 4"#])
            #expect(try await bed.pairs("sums", "group=true&group_level=1") == first)
        }
    }

    @Test("options that contradict each other are refused in CouchDB's words")
    func refusals() async throws {
        try await withViews(.memory) { bed in
            let refused = [
                ("byNumber", "reduce=true", "Reduce is invalid for map-only views."),
                ("byNumber", "group=true", "Invalid use of grouping on a map view."),
                ("byNumber", "group_level=1", "Invalid use of grouping on a map view."),
                ("sums", "reduce=false&group=true", "Invalid use of grouping on a map view."),
                ("sums", "keys=%5B1%5D", "Multi-key fetchs for reduce views must use `group=true`"),
                ("sums", "keys=%5B1%5D&group_level=1", "Multi-key fetchs for reduce views must use `group=true`"),
                ("byNumber", "keys=%5B1%5D&startkey=1", "`keys` is incompatible with `key`, `start_key` and `end_key`"),
                ("byNumber", "keys=%5B1%5D&key=1", "`keys` is incompatible with `key`, `start_key` and `end_key`"),
                ("sums", "include_docs=true", "`include_docs` is invalid for reduce"),
                ("sums", "conflicts=true", "`conflicts` is invalid for reduce views."),
                ("sums", "group=false&group_level=1", "Can't specify group=false and group_level>0 at the same time"),
            ]
            for (view, query, reason) in refused { try await bed.expectRefusal(view, query, reason) }
            let malformed = [
                "limit=-1", "limit=x", "skip=-1", "key=x", "startkey=%7B", "keys=1", "descending=x", "reduce=x",
                "group=1", "group_level=x", "stale=x", "update=x", "stable=x", "sorted=x", "prefix_match_level=x",
                "include_docs=x", "inclusive_end=x", "update_seq=x",
            ]
            for query in malformed {
                let path = "/db/_design/d/_view/byNumber?" + query
                #expect(try await bed.send(.get, path).status == 400, "\(query)")
            }
            #expect(try await bed.send(.get, "/db/_design/d/_view/none").status == 404)
            #expect(try await bed.send(.get, "/db/_design/none/_view/none").status == 404)
            let form = try await bed.send(
                .post,
                "/db/_design/d/_view/byNumber",
                "{}",
                headers: [.contentType: "text/plain"]
            )
            #expect(form.status == 415)
        }
    }

    private struct Failure: Error {}

    // The connection was closed in the middle of the answer.
    @Test("what fails in one of several queries has a status")
    func failureInQueries() async throws {
        try await withViews(.memory) { bed in
            let reduce = Reduce(version: "1") { _ in throw Failure() }
            try bed.database.view("d/failing").setMap(version: "1", reduce: reduce) { _, emit in emit(1, 1) }
            let queries = #"{"queries":[{"reduce":false},{}]}"#
            #expect(try await bed.send(.post, "/db/_design/d/_view/failing/queries", queries).status == 500)
            let none = try await bed.send(.post, "/db/_design/d/_view/failing/queries", #"{"queries":[]}"#)
            #expect(try none.rows("results").isEmpty)
        }
    }

    @Test("several queries in one answer", arguments: ListenerBed.types)
    func queries(type: StorageType) async throws {
        try await withViews(type) { bed in
            let body = #"{"queries":[{"limit":1},{"keys":[3,1]},{"key":9}]}"#
            for path in ["/db/_design/d/_view/byNumber/queries", "/db/_design/d/_view/byNumber"] {
                let results = try await bed.send(.post, path, body).rows("results")
                let ids = results.map { result in
                    result["rows"]?.arrayValue?.map { $0.objectValue?["id"]?.stringValue ?? "" }
                }
                #expect(ids == [["a"], ["d", "b"], []])
                #expect(results.map { $0["total_rows"]?.intValue } == [5, 5, 5])
            }
            let path = "/db/_design/d/_view/sums/queries"
            let sums = try await bed.send(.post, path, #"{"queries":[{},{"reduce":false}]}"#).rows("results")
            #expect(sums.map { $0["rows"]?.arrayValue?.count } == [1, 10])
            for wrong in ["{}", #"{"queries":1}"#, #"{"queries":[1]}"#, #"{"queries":[{"limit":-1}]}"#] {
                #expect(try await bed.send(.post, path, wrong).status == 400, "\(wrong)")
            }
            #expect(try await bed.send(.get, path).status == 405)
        }
    }

    @Test("rows come with documents, linked ones too", arguments: ListenerBed.types)
    func documents(type: StorageType) async throws {
        try await withViews(type) { bed in
            let rows = try await bed.send(.get, "/db/_design/d/_view/byNumber?include_docs=true&limit=1").rows("rows")
            let document = rows[0]["doc"]?.objectValue
            #expect(document?["_id"]?.stringValue == "a")
            #expect(document?["_rev"]?.stringValue?.hasPrefix("1-") == true)
            #expect(document?["tag"]?.stringValue == "x")
            let first = try await bed.put("target", #"{"text":"one"}"#)
            try await bed.put("target", #"{"_rev":"\#(first)","text":"two"}"#)
            try await bed.put("l1", #"{"n":1,"to":"target"}"#)
            try await bed.put("l2", #"{"n":2,"to":"target","at":"\#(first)"}"#)
            try await bed.put("l3", #"{"n":3,"to":"nowhere"}"#)
            try await bed.put("l4", #"{"n":4,"to":"target","at":"7-no"}"#)
            let linked = try await bed.send(.get, "/db/_design/d/_view/linked?include_docs=true").rows("rows")
            #expect(linked.map { $0["id"]?.stringValue } == ["l1", "l2", "l3", "l4"])
            let texts = linked.map { $0["doc"]?.objectValue?["text"]?.stringValue }
            #expect(texts == ["two", "one", nil, nil])
            #expect(linked.map { $0["doc"]?.isNull } == [false, false, true, true])
        }
    }

    // CouchDB's suite: a view of the previous revisions.
    @Test("an emitted _rev is followed without an _id, too", arguments: ListenerBed.types)
    func emittedRevisions(type: StorageType) async throws {
        try await withViews(type) { bed in
            let first = try await bed.put("s1", #"{"text":"one"}"#)
            try await bed.put("s1", #"{"_rev":"\#(first)","text":"two","show":{"_rev":"\#(first)"}}"#)
            try await bed.put("s2", #"{"text":"two","show":{"_rev":"9-none"}}"#)
            try await bed.put("s3", #"{"text":"two","show":{"_id":null,"_rev":"\#(first)"}}"#)
            try await bed.put("s4", #"{"text":"two","show":{"_id":null}}"#)
            try await bed.put("s5", #"{"text":"two","show":{"_rev":7}}"#)
            try await bed.put("s6", #"{"text":"two","show":{"_id":"s1"}}"#)
            let rows = try await bed.send(.get, "/db/_design/d/_view/shown?include_docs=true").rows("rows")
            let texts = rows.map { $0["doc"]?.objectValue?["text"]?.stringValue }
            #expect(texts == ["one", nil, nil, nil, "two", "two"])
            #expect(rows.map { $0["doc"]?.isNull } == [false, true, true, true, false, false])
            #expect(rows[0]["doc"]?.objectValue?["_rev"] == .string(first))
        }
    }

    // CouchDB compares members in the order in which they stand; this is in its list of differences.
    @Test("members of object keys are compared by name, whatever order they stand in", arguments: ListenerBed.types)
    func objectKeys(type: StorageType) async throws {
        try await withViews(type) { bed in
            let keys = [#"{"b":1,"a":2}"#, #"{"a":3}"#, #"{"a":2,"b":1}"#, #"{"b":0}"#, #"{"a":1,"c":1}"#]
            for (number, key) in keys.enumerated() { try await bed.put("k\(number)", #"{"k":\#(key),"show":1}"#) }
            #expect(try await bed.ids("shown") == ["k4", "k0", "k2", "k1", "k3"])
            #expect(try await bed.ids("shown", "", #"{"key":{"b":1,"a":2}}"#) == ["k0", "k2"])
        }
    }

    @Test("documents of rows have conflicts and attachments, on request", arguments: ListenerBed.types)
    func conflictsAndAttachments(type: StorageType) async throws {
        try await withViews(type) { bed in
            let data = #"{"n":7,"_attachments":{"f":{"content_type":"text/plain","data":"aGVsbG8="}}}"#
            let winner = try await bed.put("z", data)
            let other = #"{"docs":[{"_id":"z","_rev":"1-00","n":7}],"new_edits":false}"#
            _ = try await bed.send(.post, "/db/_bulk_docs", other)
            func document(_ options: String) async throws -> JSONObject {
                let path = "/db/_design/d/_view/byNumber?key=7&include_docs=true&" + options
                return try #require(try await bed.send(.get, path).rows("rows").first?["doc"]?.objectValue)
            }
            let plain = try await document("")
            let stub = try #require(plain["_attachments"]?.objectValue?["f"]?.objectValue)
            #expect(stub["stub"]?.boolValue == true)
            #expect(stub["digest"]?.stringValue?.hasPrefix("md5-") == true)
            #expect(plain["_conflicts"] == nil)
            #expect(plain["_rev"]?.stringValue == winner)
            let full = try await document("conflicts=true&attachments=true")
            #expect(full["_conflicts"] == .array(["1-00"]))
            #expect(full["_attachments"]?.objectValue?["f"]?.objectValue?["data"]?.stringValue == "aGVsbG8=")
        }
    }

    @Test("an answer is sent again only if the index has changed", arguments: ListenerBed.types)
    func tags(type: StorageType) async throws {
        try await withViews(type) { bed in
            let path = "/db/_design/d/_view/linked"
            try await bed.put("l", #"{"n":1,"to":"a"}"#)
            try bed.database.view("d/number").setMap(version: "1") { document, emit in emit(document["n"] ?? .null) }
            let first = try await bed.send(.get, path)
            let tag = try #require(first.headers[.eTag])
            #expect(try await bed.send(.get, path, headers: [.ifNoneMatch: tag]).status == 304)
            #expect(try await bed.send(.get, path + "?limit=1", headers: [.ifNoneMatch: tag]).status == 200)
            try await bed.put("m", #"{"n":2,"to":"a"}"#)
            let second = try await bed.send(.get, path, headers: [.ifNoneMatch: tag])
            #expect(second.status == 200)
            let documents = try await bed.send(.get, path + "?include_docs=true")
            let documentsTag = try #require(documents.headers[.eTag])
            #expect(documentsTag != second.headers[.eTag])
            let revision = try await bed.send(.get, "/db/a").object()["_rev"]?.stringValue ?? ""
            try await bed.put("a", #"{"_rev":"\#(revision)","text":"new"}"#)
            let again = try await bed.send(.get, path + "?include_docs=true", headers: [.ifNoneMatch: documentsTag])
            #expect(again.status == 200)
        }
    }

    @Test("the index is brought up to date before, never or afterwards", arguments: ListenerBed.types)
    func updates(type: StorageType) async throws {
        try await withViews(type) { bed in
            for query in ["update=false", "stale=ok"] { #expect(try await bed.ids("byNumber", query) == []) }
            #expect(try await bed.ids("byNumber").count == 5)
            try await bed.put("f", #"{"n":9}"#)
            #expect(try await bed.ids("byNumber", "update=false").count == 5)
            #expect(try await bed.ids("byNumber", "update=lazy").count == 5)
            try await eventually { try await bed.ids("byNumber", "update=false").count == 6 }
            try await bed.put("g", #"{"n":10}"#)
            #expect(try await bed.ids("byNumber", "update=true").count == 7)
        }
    }

    @Test("keys that begin with a prefix (Couchbase Lite's option)")
    func prefixes() async throws {
        try await withViews(.sqlite) { bed in
            let path = "reduce=false&prefix_match_level=1&startkey=%5B%22x%22%5D&endkey=%5B%22x%22%5D"
            let ids = try await bed.ids("sums", path)
            #expect(ids == ["a", "e", "c"])
        }
    }
}
