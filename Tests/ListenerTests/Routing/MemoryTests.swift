internal import HTTPTypes
internal import Settee
internal import Testing

@testable internal import SetteeListener

/// What bodies may take.
@Suite(.timeLimit(.minutes(10))) struct MemoryTests {
    private static let few = String(repeating: "1,", count: 50) + "1"
    private static let many = String(repeating: "1,", count: 100_000) + "1"

    /// Requests whose bodies hold `elements` values each.
    private static func requests(_ elements: String) -> [(path: String, body: String)] {
        let count = elements.utf8.count / 2 + 1
        let items = Array(repeating: "{}", count: count).joined(separator: ",")
        let questions = (0..<count).map { "\"\($0)\":[\"1-a\"]" }.joined(separator: ",")
        return [
            ("/db/_changes?filter=_selector", #"{"selector":{"n":{"$in":[\#(elements)]}}}"#),
            ("/db/_changes?filter=_selector&feed=longpoll&timeout=1", #"{"selector":{"n":{"$in":[\#(elements)]}}}"#),
            ("/db/_bulk_get", #"{"docs":[\#(items)]}"#), ("/db/_revs_diff", "{\(questions)}"),
            ("/db/_missing_revs", "{\(questions)}"), ("/db/_all_docs", #"{"keys":[\#(elements)]}"#),
            ("/db/_purge", "{\(questions)}"), ("/_dbs_info", #"{"keys":[\#(elements)]}"#),
        ]
    }

    @Test("a request that would take more memory than one may is refused, whatever it asks")
    func ofOne() async throws {
        try await withListener(.memory, options: ListenerOptions(requestMemoryBytes: 4 << 20)) { bed in
            for (path, body) in Self.requests(Self.many) {
                let reply = try await bed.send(.post, path, body)
                #expect(reply.status == 413, "\(path) \(reply.status)")
            }
            for (path, body) in Self.requests(Self.few) {
                let reply = try await bed.send(.post, path, body)
                #expect([200, 201, 400].contains(reply.status), "\(path) \(reply.text)")
            }
            #expect(bed.core.memory.present == 0)
            let long = String(repeating: "x", count: 3 << 20)
            #expect(try await bed.send(.put, "/db/x", "{\"a\":\"\(long)\"}").status == 413)
        }
    }

    @Test("what all requests take together is bounded, and given back when their answers have been written")
    func ofAll() async throws {
        var options = ListenerOptions()
        options.memoryBytes = 40_000
        try await withListener(.memory, options: options) { bed in
            let body = #"{"selector":{"n":{"$in":[\#(Self.few)]}}}"#
            let path = "/db/_changes?filter=_selector&feed=longpoll&timeout=1"
            var answers: [Answer] = []
            for _ in 0..<4 { answers.append(await bed.answer(.post, path, body)) }
            #expect(answers.map(\.status.code) == [200, 200, 200, 200])
            let refused = try await bed.send(.post, path, body)
            #expect(refused.status == 503 && refused.headers[.retryAfter] != nil)
            _ = try await answers.removeLast().collected()
            #expect(try await bed.send(.post, path, body).status == 200)
            answers = []
            #expect(bed.core.memory.present == 0)
        }
    }
}
