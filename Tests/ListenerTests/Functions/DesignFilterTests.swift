internal import HTTPTypes
internal import Settee
internal import SetteeCouchProtocol
internal import SetteeDesignDocuments
internal import SetteeDocumentValues
internal import SetteeJavaScript
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// `_changes` with filters of design documents.
@Suite(.timeLimit(.minutes(5))) struct DesignFilterTests {
    @Test("a function has 100 documents at a time, and others the thread between")
    func someAtATime() async throws {
        try await withDesign(.memory, ["filters": ["all": "doc => true"]]) { bed in
            let database = try bed.database
            try database.inTransaction {
                for number in 0..<250 { _ = try database["d\(number)"].put(["n": JSONValue(Int64(number))]) }
            }
            let served = try bed.core.databases.database("db")
            let filter = ChangesFilter.function(try served.designs.filter("all", of: "d"), request: Array("{}".utf8))
            let members = AttachmentMembers(database: database, usesStoredDigests: false)
            var rows = ChangesRows(ChangesOptions(), filter, members, of: database)
            var sent: [Int] = []
            while !rows.isDone {
                var text = JSONAnswerText()
                try rows.appendRows(.list, to: &text)
                sent.append(rows.sent)
            }
            // The design document is a change, too.
            #expect(sent == [100, 200, 251])
        }
    }

    private let design: JSONObject = [
        "filters": [
            "above": "function (doc, req) { return doc.n > Number(req.query.above || 0); }",
            "deleted": "(doc, req) => doc._deleted === true",
            "request": "(doc, req) => { throw { forbidden: JSON.stringify(req) }; }",
            "throwing":
                "(doc, req) => { if (doc.n === 7) throw new Error('no ' + doc.n); return doc.n !== undefined; }",
            "said": """
            (doc, req) => req.method === 'GET' && req.path.join('/') === 'db/_changes' && req.userCtx.db === 'db'
                && req.userCtx.roles.includes('_admin') && req.headers['X-Mine'] === '1' && !req.headers.Cookie
                && !Object.keys(req.headers).some(name => /auth/i.test(name)) && req.body === 'undefined'
                && req.info.db_name === 'db' && typeof req.secObj === 'object' && req.peer === ''
            """,
            "posted": "(doc, req) => req.method === 'POST' && JSON.parse(req.body).a === 1",
        ],
        "views": ["odd": ["map": "doc => { if (doc.n % 2) emit(doc.n); }"]],
    ]

    private func filled(_ type: StorageType, _ body: (ListenerBed) async throws -> Void) async throws {
        try await withDesign(type, design) { bed in
            for number in 0..<10 { try await bed.put("d\(number)", #"{"n":\#(number)}"#) }
            try await body(bed)
        }
    }

    private func ids(_ bed: ListenerBed, _ query: String, headers: HTTPFields = [:]) async throws -> [String] {
        let reply = try await bed.send(.get, "/db/_changes?" + query, headers: headers)
        #expect(reply.status == 200, "\(reply.text)")
        return try reply.rows("results").map { $0["id"]?.stringValue ?? "" }
    }

    @Test("a function decides, with what the request says", arguments: ListenerBed.types)
    func filters(type: StorageType) async throws {
        try await filled(type) { bed in
            let above = try await ids(bed, "filter=d/above&above=7")
            #expect(above == ["d8", "d9"])
            #expect(try await ids(bed, "filter=d/above&limit=2") == ["d1", "d2"])
            #expect(try await ids(bed, "filter=d/above&descending=true&limit=2") == ["d9", "d8"])
            #expect(try await ids(bed, "filter=_view&view=d/odd&since=5") == ["d5", "d7", "d9"])
            #expect(try await ids(bed, "filter=d/deleted") == [])
            let revision = try await bed.send(.get, "/db/d3").object()["_rev"]?.stringValue ?? ""
            _ = try await bed.send(.delete, "/db/d3?rev=\(revision)")
            #expect(try await ids(bed, "filter=d/deleted&include_docs=true") == ["d3"])
            let headers: HTTPFields = [.authorization: "Basic x", .cookie: "a=b", HTTPField.Name("X-Mine")!: "1"]
            let said = try await ids(bed, "filter=d/said", headers: headers)
            #expect(said.count == 11)
            let posted = try await bed.send(.post, "/db/_changes?filter=d/posted", #"{"a":1}"#)
            #expect(try posted.rows("results").count == 11)
        }
    }

    @Test("a filter runs over many documents, in a continuous feed too", arguments: ListenerBed.types)
    func many(type: StorageType) async throws {
        try await filled(type) { bed in
            let database = try bed.database
            try database.inTransaction {
                for number in 10..<1_000 { try database["d\(number)"].put(["n": JSONValue(number)]) }
            }
            let expected = (990..<1_000).map { "d\($0)" }
            #expect(try await ids(bed, "filter=d/above&above=989") == expected)
            #expect(try await ids(bed, "filter=d/above&above=989&feed=longpoll") == expected)
            let continuous = try await bed.send(
                .get,
                "/db/_changes?filter=d/above&above=989&feed=continuous&timeout=50"
            )
            #expect(continuous.text.split(separator: "\n").count == 11)
            #expect(continuous.text.contains(#""last_seq":1001"#))
        }
    }

    @Test("a function that fails ends the feed with an error", arguments: ListenerBed.types)
    func failures(type: StorageType) async throws {
        try await filled(type) { bed in
            let normal = try await bed.send(.get, "/db/_changes?filter=d/throwing")
            #expect(normal.status == 500)
            #expect(normal.text.contains("no 7"))
            for feed in ["continuous", "eventsource"] {
                let reply = try await bed.send(.get, "/db/_changes?filter=d/throwing&timeout=50&feed=" + feed)
                #expect(reply.text.contains(#""error":"unnamed_error""#), "\(reply.text)")
                #expect(!reply.text.contains("last_seq"))
            }
            let answer = await bed.answer(.get, "/db/_changes?filter=d/throwing&feed=longpoll")
            await #expect(throws: (any Error).self) { _ = try await answer.collected() }
            #expect(bed.core.feeds.present == 0)
        }
    }

    @Test("what is missing")
    func missing() async throws {
        try await filled(.memory) { bed in
            for query in ["filter=d/none", "filter=none/none", "filter=_view&view=d/none", "filter=none"] {
                let reply = try await bed.send(.get, "/db/_changes?" + query)
                #expect(reply.status == 404, "\(query)")
            }
            for query in ["filter=_view", "filter=_view&view=d", "filter=_view&view=/odd"] {
                let reply = try await bed.send(.get, "/db/_changes?" + query)
                #expect(reply.status == 400, "\(query)")
            }
        }
    }

    @Test("endless functions end, and others are served meanwhile")
    func endless() async throws {
        let loop: JSONObject = ["filters": ["loop": "doc => { for (;;); }"]]
        try await withDesign(.sqlite, loop) { bed in
            try await bed.put("a", "{}")
            let feed = Task { try await bed.send(.get, "/db/_changes?filter=d/loop") }
            #expect(try await bed.send(.get, "/db/a").status == 200)
            let reply = try await feed.value
            #expect(reply.status == 500)
            #expect(reply.text.contains("os_process_error"))
        }
    }
}
