internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import Testing

@testable internal import SetteeListener

/// `_changes` in its four forms.
@Suite(.timeLimit(.minutes(5))) struct ChangesTests {
    private func rows(_ reply: Reply) throws -> [JSONObject] {
        try reply.rows("results")
    }

    @Test("a normal feed has each document once, and ends", arguments: ListenerBed.types)
    func normal(type: StorageType) async throws {
        try await withListener(type) { bed in
            let first = try await bed.put("a", "{}")
            try await bed.put("b", "{}")
            let second = try await bed.put("a", #"{"_rev":"\#(first)"}"#)
            let gone = try await bed.send(.delete, "/db/a?rev=\(second)").object()["rev"]?.stringValue
            let reply = try await bed.send(.get, "/db/_changes")
            let rows = try rows(reply)
            #expect(rows.map { $0["id"]?.stringValue } == ["b", "a"])
            #expect(rows[1]["deleted"]?.boolValue == true)
            #expect(rows[1]["changes"]?.arrayValue?.first?.objectValue?["rev"]?.stringValue == gone)
            #expect(try reply.object()["last_seq"]?.intValue == 4)
            #expect(try reply.object()["pending"]?.intValue == 0)
            #expect(try self.rows(await bed.send(.get, "/db/_changes?since=2")).count == 1)
            #expect(try self.rows(await bed.send(.get, "/db/_changes?since=now")).isEmpty)
            #expect(try self.rows(await bed.send(.get, "/db/_changes?active_only=true")).count == 1)
            let limited = try await bed.send(.get, "/db/_changes?limit=1").object()
            #expect(limited["last_seq"]?.intValue == 2)
            #expect(limited["pending"]?.intValue == 2)
            let none = try await bed.send(.get, "/db/_changes?limit=0").object()
            #expect(none["results"]?.arrayValue?.isEmpty == true)
            #expect(none["pending"]?.intValue == 4)
            let descending = try self.rows(await bed.send(.get, "/db/_changes?descending=true&limit=1"))
            #expect(descending.first?["id"]?.stringValue == "a")
            for query in ["feed=x", "since=x", "style=x", "limit=x", "filter=none", "filter=_selector"] {
                #expect([400, 404].contains(try await bed.send(.get, "/db/_changes?" + query).status), "\(query)")
            }
        }
    }

    @Test("IDs of revisions are escaped where they have to be", arguments: ListenerBed.types)
    func opaqueRevisions(type: StorageType) async throws {
        try await withListener(type) { bed in
            let opaque = #"2-a"\b"#
            let digest = "2-" + String(repeating: "0f", count: 16)
            try bed.database["a"].forceInsert([:], history: [RevisionID(opaque)])
            try bed.database["a"].forceInsert([:], history: [RevisionID(digest)])
            let row = try #require(try self.rows(await bed.send(.get, "/db/_changes?style=all_docs")).first)
            let leaves = row["changes"]?.arrayValue?.map { $0.objectValue?["rev"]?.stringValue }
            #expect(leaves == [opaque, digest])
            let question = JSONObject([("a", .array(["3-a\"", "1-x"]))])
            let asked = String(decoding: try question.canonicalBytes(), as: UTF8.self)
            let answer = try await bed.send(.post, "/db/_revs_diff", asked).object()["a"]?.objectValue
            #expect(answer?["missing"] == ["3-a\"", "1-x"])
            #expect(answer?["possible_ancestors"] == .array([.string(opaque), .string(digest)]))
        }
    }

    @Test("filters", arguments: ListenerBed.types)
    func filters(type: StorageType) async throws {
        try await withListener(type) { bed in
            for number in 0..<10 { try await bed.put("d\(number)", #"{"n":\#(number)}"#) }
            try await bed.put("_design/x", "{}")
            try bed.database.setFilter("above", version: "1") { revision, parameters in
                let limit = parameters["above"]?.stringValue.flatMap { Int64($0) } ?? 0
                return try (revision.properties["n"]?.intValue ?? 0) > limit
            }
            let ids = try await bed.send(.post, "/db/_changes?filter=_doc_ids", #"{"doc_ids":["d3","none","d1"]}"#)
            #expect(try rows(ids).map { $0["id"]?.stringValue } == ["d1", "d3"])
            let selector = #"{"selector":{"n":{"$gte":8}}}"#
            #expect(try rows(await bed.send(.post, "/db/_changes?filter=_selector", selector)).count == 2)
            #expect(try rows(await bed.send(.get, "/db/_changes?filter=_design")).count == 1)
            let named = try await bed.send(.get, "/db/_changes?filter=above&above=0&limit=2&include_docs=true")
            #expect(try rows(named).map { $0["doc"]?.objectValue?["n"]?.intValue } == [1, 2])
            #expect(try await bed.send(.post, "/db/_changes?filter=_selector", #"{"selector":{"$x":1}}"#).status == 400)
        }
    }

    @Test("all leaves, on request", arguments: ListenerBed.types)
    func leaves(type: StorageType) async throws {
        try await withListener(type) { bed in
            let docs = #"{"docs":[{"_id":"x","_rev":"1-b"},{"_id":"x","_rev":"1-c"}],"new_edits":false}"#
            _ = try await bed.send(.post, "/db/_bulk_docs", docs)
            let all = try rows(await bed.send(.get, "/db/_changes?style=all_docs"))
            #expect(all[0]["changes"]?.arrayValue?.count == 2)
            #expect(try rows(await bed.send(.get, "/db/_changes"))[0]["changes"]?.arrayValue?.count == 1)
        }
    }

    /// `x` has the leaves 2-c (deleted), 1-d and 1-a, of which 1-d wins; `y` has one.
    static let conflicts = """
        {"new_edits":false,"docs":[{"_id":"x","_rev":"1-a","n":1},{"_id":"x","_rev":"1-d","n":2},
        {"_id":"x","_rev":"2-c","_revisions":{"start":2,"ids":["c","b"]},"_deleted":true,"n":3},
        {"_id":"y","_rev":"1-e","n":1}]}
        """

    /// The IDs of the rows with the revisions in them.
    private func leaves(_ reply: Reply) throws -> [String] {
        #expect(reply.status == 200, "\(reply.text)")
        return try rows(reply).map { row in
            let revisions = row["changes"]?.arrayValue?.compactMap { $0["rev"]?.stringValue } ?? []
            return ([row["id"]?.stringValue ?? ""] + revisions).joined(separator: " ")
        }
    }

    @Test("a filter judges each leaf with all_docs, else the winner", arguments: ListenerBed.types)
    func filteredLeaves(type: StorageType) async throws {
        let n: JSONObject = [
            "filters": ["n": "(doc, req) => doc.n === Number(req.query.n)"],
            "views": ["one": ["map": "doc => { if (doc.n === 1) emit(null) }"]],
        ]
        try await withDesign(type, n) { bed in
            _ = try await bed.send(.post, "/db/_bulk_docs", ChangesTests.conflicts)
            try bed.database.setFilter("swift", version: "1") { revision, parameters in
                try revision.properties["n"]?.intValue == parameters["n"]?.stringValue.flatMap { Int64($0) }
            }
            #expect(
                try leaves(await bed.send(.get, "/db/_changes?since=1&style=all_docs")) == ["x 1-d 1-a 2-c", "y 1-e"]
            )
            for filter in ["swift", "d/n"] {
                for (number, all, main) in [
                    (1, ["x 1-a", "y 1-e"], ["y 1-e"]), (2, ["x 1-d"], ["x 1-d"]), (3, ["x 2-c"], []), (4, [], []),
                ] {
                    let path = "/db/_changes?filter=\(filter)&n=\(number)"
                    #expect(try leaves(await bed.send(.get, path + "&style=all_docs")) == all, "\(path)")
                    #expect(try leaves(await bed.send(.get, path)) == main, "\(path)")
                }
            }
            let selector = #"{"selector":{"n":{"$lt":3}}}"#
            let path = "/db/_changes?filter=_selector"
            #expect(try leaves(await bed.send(.post, path + "&style=all_docs", selector)) == ["x 1-d 1-a", "y 1-e"])
            #expect(try leaves(await bed.send(.post, path, selector)) == ["x 1-d", "y 1-e"])
            let view = "/db/_changes?filter=_view&view=d/one"
            #expect(try leaves(await bed.send(.get, view + "&style=all_docs")) == ["x 1-a", "y 1-e"])
            #expect(try leaves(await bed.send(.get, view)) == ["y 1-e"])
            // The document of a row is the winner.
            let row = try rows(await bed.send(.get, view + "&style=all_docs&include_docs=true"))[0]
            #expect(row["doc"]?.objectValue?["n"]?.intValue == 2)
            let ids = #"{"doc_ids":["x"]}"#
            let known = try await bed.send(.post, "/db/_changes?filter=_doc_ids&style=all_docs", ids)
            #expect(try leaves(known) == ["x 1-d 1-a 2-c"])
        }
    }

    @Test("a longpoll waits for the next change, and no change falls between", arguments: ListenerBed.types)
    func longpoll(type: StorageType) async throws {
        try await withListener(type) { bed in
            let follower = Task {
                var since: Int64 = 0
                var seen = Set<String>()
                while seen.count < 100 {
                    let reply = try await bed.send(.get, "/db/_changes?feed=longpoll&since=\(since)")
                    for row in try rows(reply) { seen.insert(row["id"]?.stringValue ?? "") }
                    since = try reply.object()["last_seq"]?.intValue ?? -1
                }
            }
            for number in 0..<100 { try await bed.put("d\(number)", "{}") }
            try await follower.value
        }
    }

    @Test("a feed without a change ends with where it was")
    func timeout() async throws {
        try await withListener(.memory) { bed in
            try await bed.put("a", "{}")
            for feed in ["longpoll", "continuous"] {
                let reply = try await bed.send(.get, "/db/_changes?feed=\(feed)&since=1&timeout=50")
                #expect(reply.text.contains(#""last_seq":1"#), "\(reply.text)")
            }
            let events = try await bed.send(.get, "/db/_changes?feed=eventsource&timeout=50")
            #expect(events.text.contains("id: 1\n\n"))
            #expect(events.headers[.contentType] == "text/event-stream")
        }
    }

    @Test("a continuous feed goes on until its client goes, with signs of life")
    func continuous() async throws {
        try await withListener(.sqlite) { bed in
            let sink = CollectingSink(goesAfter: 400)
            let answer = await bed.answer(.get, "/db/_changes?feed=continuous&heartbeat=1000")
            guard case .stream(_, let write) = answer.body else {
                Issue.record("not a stream")
                return
            }
            let feed = Task { try await write(sink) }
            for number in 0..<4 {
                try await bed.put("d\(number)", "{}")
                try await eventually { sink.text.contains(#""id":"d\#(number)""#) }
            }
            for number in 4..<10 { try await bed.put("d\(number)", "{}") }
            await #expect(throws: CollectingSink.Gone.self) { try await feed.value }
            // Its place is free again, and so is that of a feed that was never begun.
            #expect(bed.core.feeds.present == 0)
        }
    }

    @Test("feeds beyond the limit are refused")
    func limit() async throws {
        var options = ListenerOptions()
        options.feeds = 2
        try await withListener(.memory, options: options) { bed in
            let answers = [
                await bed.answer(.get, "/db/_changes?feed=longpoll"),
                await bed.answer(.get, "/db/_changes?feed=longpoll"),
            ]
            let refused = try await bed.send(.get, "/db/_changes?feed=longpoll")
            #expect(refused.status == 503)
            #expect(refused.headers[.retryAfter] == "1")
            withExtendedLifetime(answers) {}
        }
    }

    @Test("when the listener stops, feeds end with where they were")
    func stop() async throws {
        try await withListener(.memory) { bed in
            let feeds = (0..<20).map { number in
                Task {
                    try await bed.send(.get, "/db/_changes?since=0&feed=\(number % 2 == 0 ? "longpoll" : "continuous")")
                }
            }
            try await eventually { bed.core.feeds.present == 20 }
            bed.core.stopFeeds()
            for feed in feeds { #expect(try await feed.value.text.contains(#""last_seq":0"#)) }
        }
    }

    @Test("a feed ends when its database is deleted")
    func deleted() async throws {
        try await withListener(.sqlite) { bed in
            let feed = Task { try await bed.send(.get, "/db/_changes?feed=longpoll") }
            try await eventually { bed.core.feeds.present == 1 }
            #expect(try await bed.send(.delete, "/db").status == 200)
            _ = await feed.result
            #expect(bed.core.feeds.present == 0)
        }
    }
}
