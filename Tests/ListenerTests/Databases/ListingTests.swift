internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// `_all_docs` and its relatives.
@Suite struct ListingTests {
    private func ids(_ bed: ListenerBed, _ query: String) async throws -> [String] {
        try await bed.send(.get, "/db/_all_docs?" + query).rows("rows").compactMap { $0["id"]?.stringValue }
    }

    private func filled(_ type: StorageType, _ body: (ListenerBed) async throws -> Void) async throws {
        try await withListener(type) { bed in
            for id in ["a", "b", "c", "d", "_design/x"] { try await bed.put(id, #"{"id":"\#(id)"}"#) }
            let gone = try await bed.put("e", "{}")
            _ = try await bed.send(.delete, "/db/e?rev=\(gone)")
            try await body(bed)
        }
    }

    @Test("local documents have the ranges, orders and keys of others", arguments: ListenerBed.types)
    func local(type: StorageType) async throws {
        try await withListener(type) { bed in
            for id in ["a", "b", "c", "d"] { try await bed.put("_local/" + id, #"{"id":"\#(id)"}"#) }
            let expected: [(String, [String?])] = [
                ("", ["a", "b", "c", "d"]), ("descending=true", ["d", "c", "b", "a"]),
                ("start_key=%22_local/b%22", ["b", "c", "d"]), ("end_key=%22_local/b%22", ["a", "b"]),
                ("start_key=%22_local/b%22&end_key=%22_local/d%22&inclusive_end=false", ["b", "c"]),
                ("start_key=%22_local/c%22&descending=true&inclusive_start=false", ["b", "a"]),
                ("start_key=7&end_key=%22_local/a%22", ["a"]), ("start_key=%5B%5D", []), ("end_key=null", []),
                ("skip=1&limit=2", ["b", "c"]), ("key=%22_local/c%22", ["c"]), ("key=7", []),
                ("key=%22_local/x%22", []), ("key=%22_local/c%22&limit=0", []), ("key=%22_local/c%22&skip=1", []),
                ("keys=%5B%22_local/d%22,%22x%22,%22_local/a%22,%22_local/d%22%5D", ["d", nil, "a", "d"]),
            ]
            for (query, ids) in expected {
                let rows = try await bed.send(.get, "/db/_local_docs?" + query).rows("rows")
                #expect(rows.map { $0["id"]?.stringValue } == ids.map { id in id.map { "_local/" + $0 } }, "\(query)")
                #expect(rows.allSatisfy { ($0["error"] == "not_found") == ($0["id"] == nil) }, "\(query)")
            }
            let queries = #"{"queries":[{"limit":1,"include_docs":true},{"descending":true}]}"#
            let results = try await bed.send(.post, "/db/_local_docs/queries", queries).rows("results")
            #expect(results.map { $0["rows"]?.arrayValue?.count } == [1, 4])
            #expect(results[0]["rows"]?.arrayValue?.first?.objectValue?["doc"]?.objectValue?["id"] == "a")
            #expect(try await bed.send(.post, "/db/_local_docs/queries", #"{"queries":[7]}"#).status == 400)
        }
    }

    // CouchDB's check of all listings (`validate_args`).
    @Test("keys do not go with a range")
    func keysAndRange() async throws {
        try await filled(.memory) { bed in
            for path in ["/db/_all_docs", "/db/_design_docs", "/db/_local_docs"] {
                for option in ["key", "startkey", "end_key"] {
                    let reply = try await bed.send(.get, path + "?keys=%5B%22a%22%5D&\(option)=%22a%22")
                    #expect(reply.status == 400 && reply.text.contains("query_parse_error"), "\(path) \(option)")
                    let queries = #"{"queries":[{"keys":["a"],"\#(option)":"a"}]}"#
                    #expect(try await bed.send(.post, path + "/queries", queries).status == 400)
                }
                #expect(try await bed.send(.get, path + "?keys=%5B%5D&key=%22a%22").status == 200)
            }
        }
    }

    @Test("offset is the number of rows before the first one, or null", arguments: ListenerBed.types)
    func offset(type: StorageType) async throws {
        try await filled(type) { bed in
            for (query, offset) in [
                ("", 0), ("skip=2", 2), ("skip=9", 5), ("skip=1&descending=true", 1), ("endkey=%22b%22", 0),
                ("startkey=%22b%22", nil), ("startkey=%22b%22&skip=1", nil), ("key=%22b%22", nil),
                ("keys=%5B%22b%22%5D&skip=1", nil),
            ] as [(String, Int64?)] {
                let answer = try await bed.send(.get, "/db/_all_docs?" + query).object()
                #expect(answer["offset"]?.intValue == offset, "\(query)")
                #expect(answer["offset"]?.isNull == (offset == nil), "\(query)")
            }
            #expect(try await bed.send(.get, "/db/_design_docs").object()["offset"]?.isNull == true)
        }
    }

    @Test("ranges, limits and orders", arguments: ListenerBed.types)
    func ranges(type: StorageType) async throws {
        try await filled(type) { bed in
            let expected: [(String, [String])] = [
                ("", ["_design/x", "a", "b", "c", "d"]), ("descending=true", ["d", "c", "b", "a", "_design/x"]),
                ("startkey=%22b%22", ["b", "c", "d"]), ("endkey=%22b%22", ["_design/x", "a", "b"]),
                ("start_key=%22b%22&end_key=%22c%22&inclusive_end=false", ["b"]),
                ("startkey=%22c%22&descending=true", ["c", "b", "a", "_design/x"]),
                ("key=%22c%22", ["c"]), ("key=%22e%22", []), ("key=7", []), ("limit=2", ["_design/x", "a"]),
                ("limit=0", []), ("skip=3", ["c", "d"]), ("skip=1&limit=2", ["a", "b"]),
                (
                    "startkey=7",
                    [
                        "_design/x", "a", "b", "c", "d",
                    ]
                ), ("startkey=%5B%5D", []), ("endkey=null", []), ("endkey=%7B%7D", ["_design/x", "a", "b", "c", "d"]),
                ("include_deleted=true&startkey=%22d%22", ["d", "e"]),
            ]
            for (query, ids) in expected { #expect(try await self.ids(bed, query) == ids, "\(query)") }
            let designs = try await bed.send(.get, "/db/_design_docs").object()
            #expect(designs["rows"]?.arrayValue?.count == 1)
            for query in ["limit=-1", "limit=x", "startkey=x", "keys=1"] {
                #expect(try await bed.send(.get, "/db/_all_docs?" + query).status == 400, "\(query)")
            }
        }
    }

    @Test("key has a row for what is there alone, and limit and skip count", arguments: ListenerBed.types)
    func key(type: StorageType) async throws {
        try await filled(type) { bed in
            let expected: [(String, Int)] = [
                ("key=%22c%22", 1), ("key=%22none%22", 0), ("key=%22e%22", 0), ("key=7", 0), ("key=null", 0),
                ("key=%5B%22c%22%5D", 0), ("key=%22%22", 0), ("key=%22c%22&limit=0", 0), ("key=%22c%22&limit=1", 1),
                ("key=%22c%22&skip=1", 0), ("key=%22c%22&descending=true", 1), ("key=%22c%22&inclusive_end=false", 0),
                ("key=%22e%22&include_deleted=true", 1), ("key=%22e%22&include_docs=true", 0),
            ]
            for (query, count) in expected {
                let rows = try await bed.send(.get, "/db/_all_docs?" + query).rows("rows")
                #expect(rows.count == count, "\(query)")
                #expect(rows.allSatisfy { $0["error"] == nil }, "\(query)")
            }
            for (key, count) in [("_design/x", 1), ("_design/none", 0), ("c", 0)] {
                let rows = try await bed.send(.get, "/db/_design_docs?key=%22\(key)%22").rows("rows")
                #expect(rows.count == count, "\(key)")
            }
            let queries = #"{"queries":[{"key":"none"},{"key":"c","include_docs":true}]}"#
            let results = try await bed.send(.post, "/db/_all_docs/queries", queries).rows("results")
            #expect(results.map { $0["rows"]?.arrayValue?.count } == [0, 1])
        }
    }

    @Test("total_rows of _design_docs counts design documents", arguments: ListenerBed.types)
    func designTotal(type: StorageType) async throws {
        try await filled(type) { bed in
            try await bed.put("_design/y", "{}")
            let gone = try await bed.put("_design/z", "{}")
            _ = try await bed.send(.delete, "/db/_design/z?rev=\(gone)")
            for query in ["", "?limit=1", "?keys=%5B%22_design/x%22%5D", "?key=%22_design/x%22"] {
                #expect(try await bed.send(.get, "/db/_design_docs" + query).object()["total_rows"] == 2, "\(query)")
            }
            let queries = #"{"queries":[{"limit":1}]}"#
            let results = try await bed.send(.post, "/db/_design_docs/queries", queries).rows("results")
            #expect(results.map { $0["total_rows"] } == [2])
            #expect(try await bed.send(.get, "/db/_all_docs").object()["total_rows"] == 6)
        }
    }

    @Test("given keys are answered in their order, missing and deleted ones too", arguments: ListenerBed.types)
    func keys(type: StorageType) async throws {
        try await filled(type) { bed in
            let body = #"{"keys":["c","none","a","e",7,"c"]}"#
            let reply = try await bed.send(.post, "/db/_all_docs?include_docs=true", body)
            let rows = try reply.rows("rows")
            #expect(rows.map { $0["id"]?.stringValue } == ["c", nil, "a", "e", nil, "c"])
            #expect(rows[1]["error"]?.stringValue == "not_found")
            #expect(rows[1]["key"]?.stringValue == "none")
            #expect(rows[3]["value"]?.objectValue?["deleted"]?.boolValue == true)
            #expect(rows[3]["doc"]?.isNull == true)
            #expect(rows[0]["doc"]?.objectValue?["id"]?.stringValue == "c")
            #expect(rows[4]["key"]?.intValue == 7)
        }
    }

    @Test("several listings in one answer")
    func queries() async throws {
        try await filled(.sqlite) { bed in
            let body = #"{"queries":[{"limit":1},{"keys":["b"]}]}"#
            let reply = try await bed.send(.post, "/db/_all_docs/queries", body)
            let results = try reply.rows("results")
            #expect(results.map { $0["rows"]?.arrayValue?.count } == [1, 1])
        }
    }

    @Test("a listing is sent again only if something changed")
    func tags() async throws {
        try await filled(.memory) { bed in
            let first = try await bed.send(.get, "/db/_all_docs")
            let tag = try #require(first.headers[.eTag])
            #expect(try await bed.send(.get, "/db/_all_docs", headers: [.ifNoneMatch: tag]).status == 304)
            #expect(try await bed.send(.get, "/db/_all_docs?limit=1", headers: [.ifNoneMatch: tag]).status == 200)
            try await bed.put("new", "{}")
            #expect(try await bed.send(.get, "/db/_all_docs", headers: [.ifNoneMatch: tag]).status == 200)
        }
    }

    @Test("long listings come in pieces, each document once", arguments: ListenerBed.types)
    func pieces(type: StorageType) async throws {
        try await withListener(type) { bed in
            let database = try bed.database
            try database.inTransaction {
                for number in 0..<5_000 {
                    try database["d\(10_000 + number)"].put(["n": JSONValue(number), "x": "0123456789012345678901234"])
                }
            }
            let expected = (0..<5_000).map { "d\(10_000 + $0)" }
            for query in ["include_docs=true", "include_docs=false"] {
                #expect(try await ids(bed, query) == expected)
                #expect(
                    try await ids(bed, query + "&descending=true&limit=4999&skip=1")
                        == expected.dropLast().reversed()
                )
            }
            let changes = try await bed.send(.get, "/db/_changes?include_docs=true").object()
            #expect(changes["results"]?.arrayValue?.compactMap { $0.objectValue?["id"]?.stringValue } == expected)
            #expect(changes["last_seq"]?.intValue == 5_000)
            #expect(changes["pending"]?.intValue == 0)
        }
    }
}
