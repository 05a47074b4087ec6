internal import HTTPTypes
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// `_explain` tells which index a query reads, and why not another one.
@Suite struct FindExplainTests {
    private func explain(_ bed: ListenerBed, _ json: String) async throws -> JSONObject {
        let reply = try await bed.send(.post, "/db/_explain", json)
        #expect(reply.status == 200, "\(reply.text)")
        return try reply.object()
    }

    private func candidates(_ plan: JSONObject) -> [String] {
        (plan["index_candidates"]?.arrayValue ?? []).map { candidate in
            let analysis = candidate["analysis"]
            let reason = analysis?["reasons"]?.arrayValue?.first?["name"]?.stringValue ?? ""
            let isUsable = analysis?["usable"] == true
            return "\(candidate["index"]?["name"]?.stringValue ?? ""): \(isUsable ? "" : "not ")usable, \(reason)"
        }
    }

    @Test("a plan has the members that CouchDB's has", arguments: ListenerBed.types)
    func members(type: StorageType) async throws {
        try await withPeople(type) { bed in
            try await bed.index(#"["team","n"]"#, #","ddoc":"d","name":"teams""#)
            try await bed.index(#"["age"]"#, #","ddoc":"d","name":"ages""#)
            let query = #"{"selector":{"team":"a","n":{"$gt":3}},"sort":["team"],"fields":["n"],"limit":2,"skip":1}"#
            var plan = try await explain(bed, query)
            #expect(plan["explanation"]?["access"]?["index"] == "_design/d/teams")
            plan["explanation"] = nil
            #expect(
                candidates(plan) == [
                    "_all_docs: not usable, sort_order_mismatch", "ages: not usable, sort_order_mismatch",
                ]
            )
            plan["index_candidates"] = nil
            #expect(
                plan == [
                    "dbname": "db", "partitioned": false, "limit": 2, "skip": 1, "fields": ["n"], "covering": false,
                    "index": [
                        "ddoc": "_design/d", "name": "teams", "type": "json", "partitioned": false,
                        "def": ["fields": [["team": "asc"], ["n": "asc"]]],
                    ],
                    "selector": ["$and": [["n": ["$gt": 3]], ["team": ["$eq": "a"]]]],
                    "opts": [
                        "use_index": [], "bookmark": "nil", "limit": 2, "skip": 1, "sort": ["team": "asc"],
                        "fields": ["n"],
                        "partition": "", "r": 1, "conflicts": false, "stale": false, "update": true, "stable": false,
                        "execution_stats": false, "allow_fallback": true,
                    ],
                    "mrargs": [
                        "include_docs": true, "view_type": "map", "reduce": false, "partition": nil,
                        "start_key": ["a", 3], "end_key": ["a", "<MAX>"], "direction": "fwd", "stable": false,
                        "update": true, "conflicts": "undefined",
                    ],
                    "selector_hints": [
                        ["type": "json", "indexable_fields": ["n", "team"], "unindexable_fields": []]
                    ],
                ]
            )
        }
    }

    @Test("indexes that are not read have a reason", arguments: ListenerBed.types)
    func reasons(type: StorageType) async throws {
        try await withPeople(type) { bed in
            #expect(candidates(try await explain(bed, #"{"selector":{"n":1}}"#)) == [])
            #expect(try await explain(bed, #"{"selector":{"n":1}}"#)["index"]?["name"] == "_all_docs")
            let impossible = try await explain(bed, #"{"selector":{"n":1},"sort":["team"]}"#)
            #expect(impossible["index"] == .null)
            #expect(candidates(impossible) == ["_all_docs: not usable, sort_order_mismatch"])
            try await bed.index(#"["n"]"#, #","ddoc":"d","name":"n""#)
            try await bed.index(#"["team"]"#, #","ddoc":"d","name":"team""#)
            try await bed.index(#"["at"]"#, #","ddoc":"d","name":"at""#)
            let partial = #"{"index":{"fields":["n"],"partial_filter_selector":{"x":1}},"ddoc":"d","name":"p"}"#
            #expect(try await bed.send(.post, "/db/_index", partial).status == 200)
            let plan = try await explain(bed, #"{"selector":{"n":1,"team":"b"}}"#)
            #expect(plan["index"]?["name"] == "n")
            #expect(
                candidates(plan) == [
                    "team: usable, less_overlap", "_all_docs: usable, unfavored_type", "at: not usable, field_mismatch",
                    "p: not usable, is_partial",
                ]
            )
            let named = try await explain(bed, #"{"selector":{"n":1,"team":"b"},"use_index":["d","team"]}"#)
            #expect(named["index"]?["name"] == "team")
            #expect(candidates(named).contains("n: usable, excluded_by_user"))
            let hints = try await explain(bed, #"{"selector":{"n":{"$ne":1},"$or":[{"team":"a"},{"at":1}]}}"#)
            #expect(hints["selector_hints"]?.arrayValue?.first?["unindexable_fields"] == ["at", "team"])
        }
    }

    @Test("indexes that are intersected are told, and their documents are found", arguments: ListenerBed.types)
    func intersections(type: StorageType) async throws {
        try await withListener(type) { bed in
            let database = try bed.database
            try database.inTransaction {
                for number in 0..<8000 { try database["d\(number)"].put(["a": number % 20, "b": number / 20 % 20]) }
            }
            for field in ["a", "b", "c"] { try await bed.index(#"["\#(field)"]"#, #","ddoc":"d","name":"\#(field)""#) }
            let query = #"{"selector":{"a":3,"b":7},"limit":200}"#
            #expect(try await bed.found(query).count == 20)
            let plan = try await explain(bed, query)
            #expect(plan["index"]?["name"] == "a" || plan["index"]?["name"] == "b")
            #expect(plan["explanation"]?["access"]?["kind"] == "intersection")
            let parts = plan["explanation"]?["access"]?["parts"]?.arrayValue ?? []
            #expect(parts.count == 2 && parts.allSatisfy { $0["kind"] == "index" })
            #expect(candidates(plan) == ["_all_docs: usable, unfavored_type", "c: not usable, field_mismatch"])
            let first = try await bed.find(#"{"selector":{"a":3,"b":7},"limit":200,"skip":5}"#)
            #expect(first["docs"]?.arrayValue?.count == 15)
        }
    }

    @Test("a selector is shown in CouchDB's normal form")
    func normalForm() throws {
        let forms: [(JSONObject, JSONObject)] = [
            ([:], [:]), (["a": 1], ["a": ["$eq": 1]]), (["a": ["b": ["c": 1]]], ["a.b.c": ["$eq": 1]]),
            (["a": ["$gt": 1, "$lt": 5]], ["$and": [["a": ["$gt": 1]], ["a": ["$lt": 5]]]]),
            (["a": [:]], ["a": ["$eq": [:]]]), (["$not": ["a": ["$lt": 1]]], ["a": ["$gte": 1]]),
            (
                ["$nor": [["a": 1], ["b": ["$exists": true]]]],
                ["$and": [["a": ["$ne": 1]], ["b": ["$exists": false]]]]
            ),
            (["$not": ["$and": [["a": 1], ["b": ["$in": [1]]]]]], ["$or": [["a": ["$ne": 1]], ["b": ["$nin": [1]]]]]),
            (["a": ["$not": ["$regex": "x"]]], ["a": ["$not": ["$regex": "x"]]]),
            (["a": ["$elemMatch": ["b": 1]]], ["a": ["$elemMatch": ["b": ["$eq": 1]]]]),
            (["a": ["$elemMatch": ["$gt": 1]]], ["a": ["$elemMatch": ["": ["$gt": 1]]]]),
        ]
        for (selector, normal) in forms { #expect(SelectorNormalForm.of(selector) == normal, "\(selector)") }
    }
}
