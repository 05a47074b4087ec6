internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// `_index`: value indexes in design documents of the language "query".
@Suite struct FindIndexTests {
    private func list(_ bed: ListenerBed, _ query: String = "") async throws -> [JSONValue] {
        try await bed.send(.get, "/db/_index" + query).object()["indexes"]?.arrayValue ?? []
    }

    @Test("an index is the view that CouchDB writes", arguments: ListenerBed.types)
    func created(type: StorageType) async throws {
        try await withListener(type) { bed in
            let index = """
                {"index":{"fields":["b",{"a":"asc"}],"partial_filter_selector":{"x":1,"$not":{"y":{"$lt":2}}}},
                "ddoc":"d","name":"i","type":"json","w":3}
                """
            for result in ["created", "exists"] {
                let answer = try await bed.send(.post, "/db/_index", index).object()
                #expect(answer == ["result": .string(result), "id": "_design/d", "name": "i"])
            }
            var design = try await bed.send(.get, "/db/_design/d").object()
            #expect(design["_rev"]?.stringValue?.hasPrefix("1-") == true)
            (design["_id"], design["_rev"]) = (nil, nil)
            let condition: JSONValue = ["$and": [["y": ["$gte": 2]], ["x": ["$eq": 1]]]]
            let given: JSONValue = ["x": 1, "$not": ["y": ["$lt": 2]]]
            #expect(
                design == [
                    "language": "query",
                    "views": [
                        "i": [
                            "map": ["fields": ["a": "asc", "b": "asc"], "partial_filter_selector": condition],
                            "reduce": "_count",
                            "options": ["def": ["fields": ["b", ["a": "asc"]], "partial_filter_selector": given]],
                        ]
                    ],
                ]
            )
            #expect(
                try await list(bed) == [
                    ["ddoc": nil, "name": "_all_docs", "type": "special", "def": ["fields": [["_id": "asc"]]]],
                    [
                        "ddoc": "_design/d", "name": "i", "type": "json", "partitioned": false,
                        "def": ["fields": [["b": "asc"], ["a": "asc"]], "partial_filter_selector": condition],
                    ],
                ]
            )
        }
    }

    @Test("names are made where none are given, the same for the same index", arguments: ListenerBed.types)
    func names(type: StorageType) async throws {
        try await withListener(type) { bed in
            let first = try await bed.send(.post, "/db/_index", #"{"index":{"fields":["a"]}}"#).object()
            let again = try await bed.send(.post, "/db/_index", #"{"index":{"fields":["a"]}}"#).object()
            let other = try await bed.send(.post, "/db/_index", #"{"index":{"fields":["b"]}}"#).object()
            #expect(again["result"] == "exists")
            #expect(first["name"]?.stringValue?.utf8.count == 40)
            #expect(first["id"]?.stringValue == "_design/" + (first["name"]?.stringValue ?? ""))
            #expect(again["name"] == first["name"])
            #expect(other["name"] != first["name"])
        }
    }

    @Test("indexes are listed in pages, those of the app among them", arguments: ListenerBed.types)
    func listed(type: StorageType) async throws {
        try await withListener(type) { bed in
            for number in 1...4 { try await bed.index(#"["f\#(number)"]"#, #","ddoc":"d","name":"i\#(number)""#) }
            try bed.database.createIndex("mine", on: [.ascending("a"), .descending("b")])
            let names = try await list(bed).map { $0["name"] ?? .null }
            #expect(names == ["_all_docs", "i1", "i2", "i3", "i4", "mine"])
            #expect(try await list(bed).last?["ddoc"] == .null)
            #expect(try await list(bed, "?limit=2&skip=1").map { $0["name"] ?? .null } == ["i1", "i2"])
            #expect(try await bed.send(.get, "/db/_index?limit=1").object()["total_rows"] == 6)
            #expect(try await list(bed, "?skip=100") == [])
            #expect(try await bed.send(.get, "/db/_index?limit=0").status == 400)
            #expect(try await bed.send(.get, "/db/_index?skip=-1").status == 400)
        }
    }

    @Test("an index is removed by its name, and the document with its last one", arguments: ListenerBed.types)
    func removed(type: StorageType) async throws {
        try await withListener(type) { bed in
            for path in ["_design/d/json/i", "d/json/i", "_design%2Fd/json/i"] {
                try await bed.index(#"["a"]"#, #","ddoc":"d","name":"i""#)
                try await bed.index(#"["b"]"#, #","ddoc":"d","name":"j""#)
                #expect(try await bed.send(.delete, "/db/_index/" + path).object() == ["ok": true])
                #expect(try await list(bed).map { $0["name"] ?? .null } == ["_all_docs", "j"])
                #expect(try await bed.send(.delete, "/db/_index/" + path).status == 404)
                #expect(try await bed.send(.delete, "/db/_index/d/text/j").status == 404)
                #expect(try await bed.send(.delete, "/db/_index/d/json/j").status == 200)
                #expect(try await bed.send(.get, "/db/_design/d").status == 404)
            }
            #expect(try await bed.send(.delete, "/db/_index/none/json/i").status == 404)
            try await bed.index(#"["a"]"#, #","ddoc":"d","name":"i""#)
            try await bed.index(#"["b"]"#, #","ddoc":"d","name":"j""#)
            try await bed.index(#"["b"]"#, #","ddoc":"e""#)
            let answer = try await bed.send(.post, "/db/_index/_bulk_delete", #"{"docids":["_design/d","e","none"]}"#)
            #expect(
                try answer.object() == [
                    "success": [["id": "_design/d", "ok": true], ["id": "_design/e", "ok": true]],
                    "fail": [["id": "_design/none", "error": "not_found"]],
                ]
            )
            #expect(try await list(bed).count == 1)
            #expect(try await bed.send(.post, "/db/_view_cleanup", "{}").status == 202)
        }
    }

    @Test("a document of another language stays as it is", arguments: ListenerBed.types)
    func otherLanguages(type: StorageType) async throws {
        try await withListener(type) { bed in
            try await bed.put("_design/d", #"{"language":"erlang","views":{"v":{"map":"f"}}}"#)
            let index = #"{"index":{"fields":["a"]},"ddoc":"d"}"#
            try await bed.expectRefusal("_index", index, 400, "invalid_ddoc_lang")
            #expect(try await bed.send(.delete, "/db/_index/d/json/v").status == 400)
            let answer = try await bed.send(.post, "/db/_index/_bulk_delete", #"{"docids":["d"]}"#).object()
            #expect(answer["success"] == [])
        }
    }

    @Test("a document that CouchDB has made is an index when it comes by replication", arguments: ListenerBed.types)
    func replicated(type: StorageType) async throws {
        try await withPeople(type) { bed in
            let design = """
                {"_id":"_design/d","_rev":"1-0123456789abcdef0123456789abcdef","language":"query","views":{"i":{"map":
                {"fields":{"team":"desc","n":"desc"},"partial_filter_selector":{}},"reduce":"_count",
                "options":{"def":{"fields":[{"team":"desc"},{"n":"desc"}]}}}}}
                """
            let reply = try await bed.send(.post, "/db/_bulk_docs", #"{"new_edits":false,"docs":[\#(design)]}"#)
            #expect(try reply.json() == [])
            let query = #"{"selector":{"team":"b"},"sort":["team","n"],"limit":3}"#
            #expect(try await bed.found(query) == ["p01", "p04", "p07"])
            #expect(try await bed.send(.post, "/db/_explain", query).object()["index"]?["name"] == "i")
        }
    }

    @Test("design documents that make no index, or two of one name, leave queries as they are")
    func oddDesigns() async throws {
        try await withPeople(.sqlite) { bed in
            func design(_ name: String, _ view: String, _ field: String) async throws {
                let map = #"{"map":{"fields":{"\#(field)":"asc"}},"options":{"def":{"fields":["\#(field)"]}}}"#
                try await bed.put("_design%2F\(name)", #"{"language":"query","views":{"\#(view)":\#(map)}}"#)
            }
            try await design(String(repeating: "x", count: 200), String(repeating: "y", count: 200), "n")
            try await design("a", "b/c", "n")
            try await design("a%2Fb", "c", "team")
            try await design("t", "t", #"n\":{},\"x"#)
            for query in [#"{"selector":{"n":7}}"#, #"{"selector":{"team":"b","n":{"$lt":9,"$gt":4}}}"#] {
                #expect(try await bed.found(query) == ["p07"])
            }
        }
    }

    @Test("what is wrong with an index is told by CouchDB's names")
    func refusals() async throws {
        try await withListener(.memory) { bed in
            let fields = #""index":{"fields":["a"]}"#
            let long = String(repeating: "x", count: 250)
            let refusals = [
                ("{}", 400, "missing_required_key"), (#"{"index":{}}"#, 400, "missing_required_key"),
                (#"{"index":[]}"#, 400, "invalid_index"), (#"{"index":{"fields":"a"}}"#, 400, "invalid_sort_json"),
                (#"{"index":{"fields":[{"a":1}]}}"#, 400, "invalid_sort_dir"),
                (#"{"index":{"fields":["a",{"b":"desc"}]}}"#, 400, "unsupported_mixed_sort"),
                (#"{"index":{"fields":[]}}"#, 400, "invalid_index"),
                (#"{"index":{"fields":["a","a"]}}"#, 400, "invalid_index"),
                (#"{"index":{"fields":["a"],"x":1}}"#, 400, "invalid_key"), ("{\(fields),\"x\":1}", 400, "invalid_key"),
                (#"{"index":{"fields":["a"],"partial_filter_selector":1}}"#, 400, "invalid_selector_json"),
                (#"{"index":{"fields":["a"],"partial_filter_selector":{"$x":1}}}"#, 400, "invalid_operator"),
                ("{\(fields),\"type\":\"geo\"}", 400, "invalid_index"),
                ("{\(fields),\"type\":1}", 400, "invalid_string"),
                ("{\(fields),\"name\":\"\"}", 400, "invalid_index_name"),
                ("{\(fields),\"ddoc\":\"\"}", 400, "invalid_index_name"),
                ("{\(fields),\"name\":\"\(long)\"}", 400, "invalid_index_name"),
                ("{\(fields),\"name\":7}", 400, "invalid_string"),
                ("{\(fields),\"w\":0}", 400, "invalid_pos_integer"),
                ("{\(fields),\"partitioned\":1}", 400, "invalid_boolean"),
                ("{\(fields),\"type\":\"text\"}", 501, "index_not_implemented"),
                ("{\(fields),\"type\":\"nouveau\"}", 501, "index_not_implemented"),
                ("{\(fields),\"partitioned\":true}", 501, "index_not_implemented"),
            ]
            for (body, status, error) in refusals { try await bed.expectRefusal("_index", body, status, error) }
            try await bed.expectRefusal("_index/_bulk_delete", #"{"docids":[null]}"#, 400, "invalid_bulk_docs")
            #expect(try await list(bed).count == 1)
        }
    }

    @Test("who may read may ask; only administrators make and remove indexes")
    func rights() async throws {
        let users = ListenerUsers.table([
            "rob": .init(password: "rob's long word", roles: ["writer"]),
            "ada": .init(password: "ada's long word", roles: ["admin"]),
        ])
        try await withListener(.memory, access: AccessConfiguration(users: users)) { bed in
            let rob: HTTPFields = [.authorization: "Basic cm9iOnJvYidzIGxvbmcgd29yZA=="]
            let ada: HTTPFields = [.authorization: "Basic YWRhOmFkYSdzIGxvbmcgd29yZA=="]
            let index = #"{"index":{"fields":["a"]},"ddoc":"d","name":"i"}"#
            let refused = try await bed.send(.post, "/db/_index", index, headers: rob)
            #expect(refused.status == 403)
            #expect(try await bed.send(.post, "/db/_index", index, headers: ada).status == 200)
            #expect(try await bed.send(.delete, "/db/_index/d/json/i", headers: rob).status == 403)
            let bulk = #"{"docids":["d"]}"#
            #expect(try await bed.send(.post, "/db/_index/_bulk_delete", bulk, headers: rob).status == 403)
            #expect(try await bed.send(.get, "/db/_index", headers: rob).status == 200)
            #expect(try await bed.send(.post, "/db/_find", #"{"selector":{}}"#, headers: rob).status == 200)
            #expect(try await bed.send(.post, "/db/_explain", #"{"selector":{}}"#, headers: rob).status == 200)
            #expect(try await bed.send(.post, "/db/_find", #"{"selector":{}}"#).status == 401)
        }
    }
}
