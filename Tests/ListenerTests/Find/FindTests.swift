internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// `_find` as clients of CouchDB know it.
@Suite struct FindTests {
    @Test("a query answers whole documents, at most 25, and a bookmark", arguments: ListenerBed.types)
    func whole(type: StorageType) async throws {
        try await withPeople(type) { bed in
            let answer = try await bed.find(#"{"selector":{}}"#)
            let documents = answer["docs"]?.arrayValue ?? []
            #expect(documents.count == 25)
            let first = try await bed.send(.get, "/db/p00").json()
            #expect(documents.first == first)
            #expect(answer["bookmark"]?.stringValue?.isEmpty == false)
            #expect(answer["execution_stats"] == nil)
            #expect(
                answer["warning"] == "No matching index found, create an index to optimize query time."
            )
            #expect(try await bed.find(#"{"selector":{"n":99}}"#)["bookmark"] == "nil")
        }
    }

    @Test("fields are parts of documents", arguments: ListenerBed.types)
    func fields(type: StorageType) async throws {
        try await withPeople(type) { bed in
            let query = #"{"selector":{"n":3},"fields":["_id","at.x","none","n"]}"#
            #expect(try await bed.find(query)["docs"] == [["_id": "p03", "at": ["x": -3], "n": 3]])
            #expect(try await bed.find(#"{"selector":{"n":3},"fields":[]}"#)["docs"]?.arrayValue?[0]["team"] == "a")
            try await bed.send(.put, "/db/f/a.txt", "text", headers: [.contentType: "text/plain"])
            let stub = try await bed.send(.get, "/db/f").object()["_attachments"]
            let attached = try await bed.find(#"{"selector":{"_id":"f"},"fields":["_attachments"]}"#)
            #expect(attached["docs"] == [["_attachments": stub ?? .null]])
            #expect(try await bed.find(#"{"selector":{"_id":"f"}}"#)["docs"]?.arrayValue?[0]["_attachments"] == stub)
        }
    }

    @Test("an order needs an index, and leaves documents without the field out", arguments: ListenerBed.types)
    func sorted(type: StorageType) async throws {
        try await withPeople(type) { bed in
            let query = #"{"selector":{"team":"a"},"sort":[{"age":"desc"}],"limit":99}"#
            try await bed.expectRefusal("_find", query, 400, "no_usable_index")
            try await bed.index(#"["age"]"#)
            #expect(try await bed.found(query) == ["p24", "p18", "p12", "p06", "p00"])
            #expect(try await bed.find(query)["warning"] == nil)
            let all = try await bed.found(#"{"selector":{},"sort":["age"],"limit":99}"#)
            #expect(all == (0..<15).map { JSONValue.string($0 < 5 ? "p0\($0 * 2)" : "p\($0 * 2)") })
            #expect(try await bed.found(#"{"selector":{"n":{"$lt":2}},"sort":[{"_id":"desc"}]}"#) == ["p01", "p00"])
        }
    }

    @Test("pages follow each other by bookmarks, under every order", arguments: ListenerBed.types)
    func pages(type: StorageType) async throws {
        try await withPeople(type) { bed in
            let queries = [
                #""selector":{}"#, #""selector":{"n":{"$gt":3}}"#, #""selector":{"team":{"$in":["a","c"]}}"#,
                #""selector":{},"sort":["team"]"#, #""selector":{},"sort":[{"team":"desc"},{"n":"desc"}]"#,
                #""selector":{"age":{"$gte":20}},"sort":["age"]"#, #""selector":{"_id":{"$gt":"p05"}}"#,
                #""selector":{"$or":[{"n":{"$gt":20}},{"team":"b"}]}"#, #""selector":{},"sort":[{"_id":"desc"}]"#,
            ]
            for index in [#"["age"]"#, #"["team","n"]"#, #"["n"]"#] { try await bed.index(index) }
            for query in queries {
                let all = try await bed.found("{\(query),\"limit\":99}")
                #expect(all.count > 10)
                for limit in [1, 4, 7] {
                    var pages: [JSONValue] = []
                    var bookmark = "nil"
                    for _ in 0..<40 {
                        let page = try await bed.find("{\(query),\"limit\":\(limit),\"bookmark\":\"\(bookmark)\"}")
                        let rows = page["docs"]?.arrayValue ?? []
                        if rows.isEmpty { #expect(page["bookmark"]?.stringValue == bookmark) }
                        if rows.isEmpty { break }
                        pages += rows.map { $0["_id"] ?? .null }
                        bookmark = try #require(page["bookmark"]?.stringValue)
                    }
                    #expect(pages == all, "\(query)")
                }
                let first = try await bed.find("{\(query),\"limit\":3}")["bookmark"]?.stringValue ?? ""
                let skipped = try await bed.found("{\(query),\"limit\":2,\"skip\":2,\"bookmark\":\"\(first)\"}")
                #expect(skipped == Array(all[5..<7]), "\(query)")
            }
        }
    }

    @Test("the index that a query names is used, or a warning says why not", arguments: ListenerBed.types)
    func namedIndexes(type: StorageType) async throws {
        try await withPeople(type) { bed in
            try await bed.index(#"["n"]"#, #","ddoc":"one","name":"byN""#)
            try await bed.index(#"["team"]"#, #","ddoc":"two","name":"byTeam""#)
            try await bed.index(#"["n"]"#, #","ddoc":"three","name":"again""#)
            for name in [#""three""#, #""_design/three""#, #"["three","again"]"#, #"["_design/three","again"]"#] {
                let query = #"{"selector":{"n":5},"use_index":\#(name)}"#
                #expect(try await bed.find(query)["warning"] == nil, "\(name)")
                let plan = try await bed.send(.post, "/db/_explain", query).object()
                #expect(plan["index"]?["ddoc"] == "_design/three", "\(name)")
            }
            let other = try await bed.find(#"{"selector":{"n":5},"use_index":"two"}"#)
            #expect(
                other["warning"]
                    == "_design/two was not used because it does not contain a valid index for this query."
            )
            #expect(other["docs"]?.arrayValue?.count == 1)
            let named = try await bed.find(#"{"selector":{"at":1},"use_index":["none","x"]}"#)
            #expect(
                named["warning"]?.stringValue
                    == "_design/none, x was not used because it is not a valid index for this query.\n"
                    + "No matching index found, create an index to optimize query time.\n"
                    + "The number of documents examined is high in proportion to the number of results returned. "
                    + "Consider adding a more specific index to improve this."
            )
            let strict = #"{"selector":{"at":1},"allow_fallback":false"#
            try await bed.expectRefusal("_find", strict + "}", 400, "invalid_index")
            try await bed.expectRefusal("_find", strict + #","use_index":"one"}"#, 400, "invalid_index")
            #expect(try await bed.found(#"{"selector":{"n":5},"allow_fallback":false}"#) == ["p05"])
        }
    }

    @Test("a named index with a condition answers with the documents that meet it", arguments: ListenerBed.types)
    func partial(type: StorageType) async throws {
        try await withPeople(type) { bed in
            let index = #"{"index":{"fields":["n"],"partial_filter_selector":{"team":"b"}},"ddoc":"b","name":"n"}"#
            let made = try await bed.send(.post, "/db/_index", index)
            #expect(made.status == 200)
            let query = #"{"selector":{"n":{"$lt":9}}"#
            #expect(try await bed.found(query + #","use_index":"b"}"#) == ["p01", "p04", "p07"])
            #expect(try await bed.found(query + "}").count == 9)
            let implied = #"{"selector":{"n":{"$lt":9},"team":"b"}}"#
            #expect(try await bed.send(.post, "/db/_explain", implied).object()["index"]?["ddoc"] == "_design/b")
        }
    }

    @Test("figures tell what was read", arguments: ListenerBed.types)
    func statistics(type: StorageType) async throws {
        try await withPeople(type) { bed in
            try await bed.index(#"["n"]"#)
            let query = #"{"selector":{"n":{"$gte":10,"$lte":13},"team":"a"},"execution_stats":true}"#
            let figures = try #require(try await bed.find(query)["execution_stats"]?.objectValue)
            #expect(figures["total_keys_examined"] == 4)
            #expect(figures["total_docs_examined"] == 4)
            #expect(figures["total_quorum_docs_examined"] == 0)
            #expect(figures["results_returned"] == 1)
            #expect(figures["execution_time_ms"] != nil)
        }
    }

    @Test("conflicts are shown where they are asked for", arguments: ListenerBed.types)
    func conflicts(type: StorageType) async throws {
        try await withPeople(type) { bed in
            for revision in ["2-a", "2-b"] {
                let body =
                    #"{"_rev":"\#(revision)","_revisions":{"start":2,"ids":["\#(revision.suffix(1))","c"]},"k":1}"#
                let reply = try await bed.send(.put, "/db/k?new_edits=false", body)
                #expect(reply.status == 201)
            }
            for fields in ["", #","fields":["_conflicts"]"#] {
                let query = #"{"selector":{"k":1},"conflicts":true\#(fields)}"#
                #expect(try await bed.found(query, "_conflicts") == [["2-a"]])
            }
            #expect(try await bed.found(#"{"selector":{"k":1}}"#, "_conflicts") == [.null])
        }
    }

    @Test("what is wrong with a query is told by CouchDB's names")
    func refusals() async throws {
        try await withPeople(.memory) { bed in
            let refusals = [
                ("{}", "missing_required_key"), (#"{"selector":1}"#, "invalid_selector_json"),
                (#"{"selector":{"a":{"$no":1}}}"#, "invalid_operator"), (#"{"selector":{"a":{"$in":1}}}"#, "bad_arg"),
                (#"{"selector":{"$text":"x"}}"#, "not_supported"),
                (#"{"selector":{},"limit":-1}"#, "invalid_non_neg_integer"),
                (#"{"selector":{},"limit":"1"}"#, "invalid_non_neg_integer"),
                (#"{"selector":{},"x":1}"#, "invalid_key"),
                (#"{"selector":{},"skip":1.5}"#, "invalid_non_neg_integer"),
                (#"{"selector":{},"r":0}"#, "invalid_pos_integer"),
                (#"{"selector":{},"sort":{"a":"asc"}}"#, "invalid_sort_json"),
                (#"{"selector":{},"sort":[{"a":"up"}]}"#, "invalid_sort_dir"),
                (#"{"selector":{},"sort":[1]}"#, "invalid_sort_field"),
                (#"{"selector":{},"sort":[""]}"#, "invalid_sort_field"),
                (#"{"selector":{},"sort":["a",{"b":"desc"}]}"#, "unsupported_mixed_sort"),
                (#"{"selector":{},"sort":["a..b"]}"#, "bad_field"),
                (#"{"selector":{},"fields":"a"}"#, "invalid_fields"),
                (#"{"selector":{},"fields":[1]}"#, "invalid_field"), (#"{"selector":{},"fields":[""]}"#, "bad_field"),
                (#"{"selector":{},"use_index":1}"#, "invalid_index_name"),
                (#"{"selector":{},"use_index":["a","b","c"]}"#, "invalid_index_name"),
                (#"{"selector":{},"bookmark":"x"}"#, "invalid_bookmark"),
                (#"{"selector":{},"bookmark":1}"#, "invalid_bookmark"),
                (#"{"selector":{},"conflicts":1}"#, "invalid_boolean"), ("[]", "bad_request"), ("{", "bad_request"),
            ]
            for (body, error) in refusals {
                try await bed.expectRefusal("_find", body, 400, error)
                if error != "bad_field" { try await bed.expectRefusal("_explain", body, 400, error) }
            }
            try await bed.expectRefusal("_find", #"{"selector":{},"partition":"p"}"#, 501, "not_implemented")
            let text: HTTPFields = [.contentType: "text/plain"]
            #expect(try await bed.send(.post, "/db/_find", "{}", headers: text).status == 415)
            #expect(try await bed.send(.get, "/db/_find").status == 405)
            let largest = #"{"selector":{},"limit":9223372036854775807,"skip":9223372036854775807}"#
            #expect(try await bed.found(largest) == [])
            try await bed.index(#"["n"]"#)
            #expect(try await bed.found(#"{"sort":["n"],"# + largest.dropFirst()) == [])
        }
    }
}
