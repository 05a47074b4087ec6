internal import HTTPTypes
internal import InMemoryLogging
internal import Logging
internal import Settee
internal import SetteeDocumentValues
internal import SetteeJavaScript
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Views of design documents, and what else concerns them.
@Suite(.timeLimit(.minutes(5))) struct DesignViewTests {
    private let design: JSONObject = [
        "views": [
            "byNumber": ["map": "function (doc) { if ('n' in doc) emit(doc.n, doc.tag); }"],
            "sums": ["map": "doc => { if ('n' in doc) emit([doc.tag, doc.n], doc.n); }", "reduce": "_sum"],
            "lists": [
                "map": "doc => { if ('n' in doc) emit(doc.tag, doc.n); }",
                "reduce": "(keys, values, again) => again ? [].concat(...values).sort() : values",
            ],
            "broken": ["map": "function (doc) { emit( }"],
            "throwing": ["map": "doc => { if (doc.n === 1) throw new Error('no'); emit(doc.n); }"],
            "fatal": ["map": "doc => { if (doc.n === 1) throw 'fatal_error'; emit(doc.n); }"],
        ]
    ]

    private func filled(_ type: StorageType, _ body: (ListenerBed) async throws -> Void) async throws {
        try await withDesign(type, design) { bed in
            for (number, id) in ["a", "b", "c", "d"].enumerated() {
                try await bed.put(id, #"{"n":\#(number),"tag":"\#(number % 2 == 0 ? "x" : "y")"}"#)
            }
            try await body(bed)
        }
    }

    // JavaScript prints whole numbers below 1e21 without an exponent.
    @Test("rows with integers outside of 64 bits, as keys, values and reductions", arguments: ListenerBed.types)
    func longIntegers(type: StorageType) async throws {
        let design: JSONObject = [
            "views": [
                "big": [
                    "map": "doc => emit(doc.n * 1e19, -doc.n * 1e19)",
                    "reduce": "(keys, values) => values.reduce((a, b) => a + b, 0)",
                ],
                "built": ["map": "doc => emit(null, doc.n * 1e19)", "reduce": "_stats"],
            ]
        ]
        try await withDesign(type, design) { bed in
            for n in 1...12 { try await bed.put("\(n)", #"{"n":\#(n)}"#) }
            let rows = try await bed.pairs("big", "reduce=false")
            #expect(rows == (1...12).map { "\($0)0000000000000000000: -\($0)0000000000000000000" })
            #expect(try await bed.pairs("big") == ["null: -780000000000000000000"])
            #expect(try await bed.pairs("big", "reduce=false&key=100000000000000000000").count == 1)
            #expect(try await bed.pairs("big", "reduce=false&startkey=1e20&endkey=110000000000000000000").count == 2)
            let keys = #"{"keys":[20000000000000000000,120000000000000000000,7]}"#
            #expect(try await bed.pairs("big", "reduce=false", keys).count == 2)
            let stats = try await bed.pairs("built")
            #expect(stats.count == 1 && stats[0].contains(#""count":12"#) && stats[0].contains(#""sum":7.8e+20"#))
        }
    }

    @Test("rows, groups, keys and documents", arguments: ListenerBed.types)
    func rows(type: StorageType) async throws {
        try await filled(type) { bed in
            let some = try await bed.pairs("byNumber", "startkey=1&limit=2")
            #expect(some == [#"1: "y""#, #"2: "x""#])
            #expect(try await bed.ids("byNumber", "", #"{"keys":[3,0,3]}"#) == ["d", "a", "d"])
            #expect(try await bed.pairs("sums") == ["null: 6"])
            #expect(try await bed.pairs("sums", "group_level=1") == [#"["x"]: 2"#, #"["y"]: 4"#])
            #expect(try await bed.pairs("lists", "group=true") == [#""x": [0,2]"#, #""y": [1,3]"#])
            #expect(try await bed.ids("throwing") == ["a", "c", "d"])
            try await bed.put("e", #"{"n":0.5}"#)
            #expect(try await bed.ids("byNumber", "include_docs=true") == ["a", "e", "b", "c", "d"])
            try await bed.expectRefusal("byNumber", "group=true", "Invalid use of grouping on a map view.")
        }
    }

    @Test("functions that were changed count at once, with another tag", arguments: ListenerBed.types)
    func changed(type: StorageType) async throws {
        try await filled(type) { bed in
            let path = "/db/_design/d/_view/byNumber"
            let first = try await bed.send(.get, path)
            let tag = try #require(first.headers[.eTag])
            #expect(try await bed.send(.get, path, headers: [.ifNoneMatch: tag]).status == 304)
            let revision = try await bed.send(.get, "/db/_design/d").object()["_rev"]?.stringValue ?? ""
            let views = #"{"byNumber":{"map":"doc => { if ('n' in doc) emit(-doc.n); }"}}"#
            try await bed.put("_design/d", #"{"_rev":"\#(revision)","language":"javascript","views":\#(views)}"#)
            #expect(try await bed.send(.get, path, headers: [.ifNoneMatch: tag]).status == 200)
            #expect(try await bed.ids("byNumber") == ["d", "c", "b", "a"])
            #expect(try await bed.send(.get, "/db/_design/d/_view/sums").status == 404)
        }
    }

    @Test("what is missing or wrong has CouchDB's answers")
    func errors() async throws {
        try await filled(.sqlite) { bed in
            let missing = try await bed.send(.get, "/db/_design/d/_view/none")
            #expect(missing.status == 404)
            #expect(try missing.object()["reason"]?.stringValue == "missing_named_view")
            let none = try await bed.send(.get, "/db/_design/none/_view/none")
            #expect(none.status == 404)
            #expect(try none.object()["reason"]?.stringValue == "missing")
            let broken = try await bed.send(.get, "/db/_design/d/_view/broken")
            #expect(broken.status == 400)
            #expect(try broken.object()["error"]?.stringValue == "compilation_error")
            let fatal = try await bed.send(.get, "/db/_design/d/_view/fatal")
            #expect(fatal.status == 500)
            #expect(try fatal.object()["error"] == "map_runtime_error")
            #expect(try fatal.object()["reason"] == "function raised 'fatal_error'")
            try bed.database["_design/q"].put(["language": "query", "views": ["v": ["map": ["fields": [:]]]]])
            #expect(try await bed.send(.get, "/db/_design/q/_view/v").status == 501)
        }
    }

    @Test("_info, _compact and _view_cleanup", arguments: ListenerBed.types)
    func information(type: StorageType) async throws {
        try await filled(type) { bed in
            let ids = try await bed.ids("byNumber")
            #expect(ids.count == 4)
            let info = try await bed.send(.get, "/db/_design/d/_info").object()
            #expect(info["name"]?.stringValue == "d")
            let index = try #require(info["view_index"]?.objectValue)
            #expect(index["language"]?.stringValue == "javascript")
            #expect(index["signature"]?.stringValue?.utf8.count == 32)
            #expect(try await bed.send(.get, "/db/_design/none/_info").status == 404)
            #expect(try await bed.send(.post, "/db/_compact/d", "{}").status == 202)
            #expect(try await bed.send(.post, "/db/_compact/none", "{}").status == 404)
            let revision = try await bed.send(.get, "/db/_design/d").object()["_rev"]?.stringValue ?? ""
            #expect(try await bed.send(.delete, "/db/_design/d?rev=\(revision)").status == 200)
            #expect(try await bed.send(.post, "/db/_view_cleanup", "{}").status == 202)
            #expect(try bed.database.viewNames() == [])
        }
    }

    @Test("a temporary view leaves nothing", arguments: ListenerBed.types)
    func temporary(type: StorageType) async throws {
        try await filled(type) { bed in
            let view = #"{"map":"doc => { if ('n' in doc) emit(doc.n, 1); }","reduce":"_count"}"#
            let reduced = try await bed.send(.post, "/db/_temp_view", view)
            #expect(try reduced.rows("rows").map { $0["value"]?.intValue } == [4])
            let rows = try await bed.send(.post, "/db/_temp_view?reduce=false&descending=true&limit=1", view)
            #expect(try rows.rows("rows").map { $0["id"]?.stringValue } == ["d"])
            let keys = #"{"keys":[2,0],"map":"doc => emit(doc.n)"}"#
            let some = try await bed.send(.post, "/db/_temp_view?include_docs=true", keys)
            #expect(try some.rows("rows").map { $0["id"]?.stringValue } == ["c", "a"])
            try await eventually { try bed.database.viewNames() == [] }
            #expect(try await bed.send(.post, "/db/_temp_view", "{}").status == 400)
            #expect(try await bed.send(.post, "/db/_temp_view", #"{"map":"doc => {"}"#).status == 400)
            #expect(try await bed.send(.get, "/db/_temp_view").status == 405)
        }
    }

    @Test("only administrators run temporary views and change design documents")
    func rights() async throws {
        let users = ListenerUsers.table([
            "ida": .init(password: "a", roles: ["admin"]), "bob": .init(password: "b", roles: ["reader"]),
        ])
        let access = AccessConfiguration(users: users)
        try await withDesign(.memory, access: access, design) { bed in
            let reader: HTTPFields = [.authorization: "Basic Ym9iOmI="]
            let view = #"{"map":"doc => emit(1)"}"#
            #expect(try await bed.send(.post, "/db/_temp_view", view, headers: reader).status == 403)
            #expect(try await bed.send(.post, "/db/_temp_view", view).status == 401)
            #expect(try await bed.send(.post, "/db/_view_cleanup", "{}", headers: reader).status == 403)
            #expect(try await bed.send(.put, "/db/_design/e", "{}", headers: reader).status == 403)
            #expect(try await bed.send(.get, "/db/_design/d/_view/byNumber", headers: reader).status == 200)
            #expect(try await bed.send(.get, "/db/_design/d/_info", headers: reader).status == 200)
            let admin: HTTPFields = [.authorization: "Basic aWRhOmE="]
            let reply = try await bed.send(.post, "/db/_temp_view", view, headers: admin)
            #expect(reply.status == 200)
        }
    }

    @Test("without the program everything else works")
    func unavailable() async throws {
        let log = InMemoryLogHandler()
        let missing = JavaScriptConfiguration(
            executable: "/nowhere/settee-js",
            workers: 1,
            logger: Logger(label: "functions") { _ in log }
        )
        try await withDesign(.sqlite, javaScript: missing, design) { bed in
            try await bed.put("a", #"{"n":1}"#)
            for _ in 0..<3 {
                let reply = try await bed.send(.get, "/db/_design/d/_view/byNumber")
                #expect(reply.status == 501)
                #expect(reply.text.contains("settee-js"))
                // Where it was looked for is for the log alone.
                #expect(!reply.text.contains("/"), "\(reply.text)")
            }
            let told = log.entries.filter { $0.metadata["paths"] == "/nowhere/settee-js" }
            #expect(told.count == 1 && told[0].level == .error)
            #expect(try await bed.send(.get, "/db/_changes?filter=_view&view=d/byNumber").status == 501)
            #expect(try await bed.send(.get, "/db/_all_docs").status == 200)
            try bed.database.view("d/swift").setMap(version: "1") { document, emit in emit(document["n"] ?? .null) }
            #expect(try await bed.ids("swift").contains("a"))
        }
    }
}
