internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import Testing

@testable internal import SetteeListener

/// Feeds of clients that go.
@Suite(.timeLimit(.minutes(10))) struct GoneClientTests {
    @Test(
        "a feed ends when its client goes, and gives its place back",
        arguments: ["longpoll", "continuous", "continuous&heartbeat=60000", "eventsource&heartbeat=60000"]
    )
    func gone(feed: String) async throws {
        try await withListener(.memory) { bed in
            let body = BodyReader(isHeld: false) {}
            let head = HTTPRequest(
                method: .get,
                scheme: "http",
                authority: "127.0.0.1:5984",
                path: "/db/_changes?feed=\(feed)"
            )
            let answer = await bed.core.respond(ListenerRequest(head: head), body)
            let sink = CollectingSink()
            guard case .stream(_, let write) = answer.body else { throw TestFailure() }
            async let end: Void = write(sink)
            try await Task.sleep(for: .milliseconds(50))
            #expect(bed.core.feeds.present == 1)
            body.clientGone()
            try await end
            #expect(bed.core.feeds.present == 0)
            // A client that has closed only its sending side is told where to go on.
            if !feed.hasPrefix("eventsource") {
                #expect(String(decoding: sink.bytes, as: UTF8.self).contains(#""last_seq":0"#))
            }
        }
    }

    @Test("a client that has gone before its feed waits ends it, too")
    func goneBefore() async throws {
        try await withListener(.memory) { bed in
            let body = BodyReader(isHeld: false) {}
            body.clientGone()
            let head = HTTPRequest(
                method: .get,
                scheme: "http",
                authority: "127.0.0.1:5984",
                path: "/db/_changes?feed=longpoll"
            )
            let reply = try await bed.core.respond(ListenerRequest(head: head), body).collected()
            #expect(try reply.object()["last_seq"]?.intValue == 0)
        }
    }

    private struct TestFailure: Error {}
}
