internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import SetteeExpressions
internal import Testing

@testable internal import SetteeCouchProtocol
@testable internal import SetteeListener

/// Feeds and listings that are longer than what is read at a time.
@Suite(.timeLimit(.minutes(10))) struct LongFeedTests {
    private static let count = 6_000

    private func filled(_ type: StorageType, _ body: (ListenerBed) async throws -> Void) async throws {
        try await withListener(type) { bed in
            let database = try bed.database
            try database.inTransaction {
                for number in 1...LongFeedTests.count {
                    _ = try database["d\(number)"].put(["n": JSONValue(Int64(number))])
                }
            }
            try await body(bed)
        }
    }

    private func sequences(_ reply: Reply) throws -> [Int64] {
        try reply.rows("results").compactMap { $0["seq"]?.intValue }
    }

    @Test("a listing from the latest change to the first comes piece by piece", arguments: ListenerBed.types)
    func descending(type: StorageType) async throws {
        try await filled(type) { bed in
            let all = Array(1...Int64(LongFeedTests.count))
            let down = try await bed.send(.get, "/db/_changes?descending=true")
            #expect(try sequences(down) == all.reversed())
            #expect(try down.object()["last_seq"]?.intValue == all.last)
            #expect(try down.object()["pending"]?.intValue == 0)
            let some = try await bed.send(.get, "/db/_changes?descending=true&since=10&limit=3000&include_docs=true")
            #expect(try sequences(some) == Array(all.reversed().prefix(3_000)))
            #expect(try some.rows("results").last?["doc"]?.objectValue?["n"]?.intValue == 3_001)
            #expect(try some.object()["last_seq"]?.intValue == all.last)
            #expect(try sequences(try await bed.send(.get, "/db/_changes?descending=true&since=5990")).count == 10)
            #expect(try sequences(try await bed.send(.get, "/db/_changes?include_docs=true")) == all)
        }
    }

    @Test("a filter that takes nothing leaves the thread to others now and then")
    func takesNothing() async throws {
        try await filled(.memory) { bed in
            let database = try bed.database
            let nothing = ChangesFilter.selector(try MangoSelector(["n": 0]))
            let members = AttachmentMembers(database: database, usesStoredDigests: false)
            var rows = ChangesRows(ChangesOptions(), nothing, members, of: database)
            var text = JSONAnswerText()
            try rows.appendRows(.list, to: &text)
            #expect(text.count == 0 && !rows.isAtEnd && rows.since >= 5_000)
            try rows.appendRows(.list, to: &text)
            #expect(text.count == 0 && rows.isAtEnd && rows.since == UInt64(LongFeedTests.count))
        }
    }

    /// Beyond 1,000 feeds those that found the queue full were cut in the middle of their answer.
    @Test("a commit that wakes more feeds than calls may wait cuts none")
    func manyWake() async throws {
        try await withListener(.memory, options: ListenerOptions(threads: 1, waitingCalls: 1)) { bed in
            try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<100 {
                    let answer = await bed.answer(.get, "/db/_changes?feed=longpoll&since=0&heartbeat=60000")
                    group.addTask { try await answer.collected() }
                }
                try await bed.put("x", "{}")
                for try await reply in group {
                    #expect(try reply.rows("results").map { $0["id"]?.stringValue } == ["x"])
                }
            }
        }
    }

    @Test("what is large is read one by one, and nothing is left out", arguments: ListenerBed.types)
    func large(type: StorageType) async throws {
        try await withListener(type) { bed in
            let text = String(repeating: "x", count: 70_000)
            let ids = (1...20).map { "d\($0)" }
            for id in ids { try await bed.put(id, #"{"text":"\#(text)"}"#) }
            let feed = try await bed.send(.get, "/db/_changes?include_docs=true").rows("results")
            #expect(feed.compactMap { $0["doc"]?.objectValue?["_id"]?.stringValue } == ids)
            let keys = (ids + ["none", "d3"]).map { "\"\($0)\"" }.joined(separator: ",")
            let listed = try await bed.send(.post, "/db/_all_docs?include_docs=true", #"{"keys":[\#(keys),7]}"#)
            let rows = try listed.rows("rows")
            #expect(rows.map { $0["id"]?.stringValue } == ids + [nil, "d3", nil])
            #expect(rows.allSatisfy { $0["error"] != nil || $0["doc"]?.objectValue?["text"]?.stringValue == text })
            let items = ids.map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
            let got = try await bed.send(.post, "/db/_bulk_get", #"{"docs":[\#(items)]}"#).rows("results")
            #expect(got.map { $0["id"]?.stringValue } == ids)
            #expect(got.allSatisfy { $0["docs"]?.arrayValue?.first?.objectValue?["ok"] != nil })
        }
    }
}
