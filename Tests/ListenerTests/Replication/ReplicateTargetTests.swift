internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Targets that `_replicate` makes.
@Suite(.timeLimit(.minutes(10))) struct ReplicateTargetTests {
    private func withReplicator(_ replicator: FakeReplicator, _ body: (ListenerBed) async throws -> Void) async throws {
        let bed = try ListenerBed(.memory, replicator: replicator)
        try await body(bed)
        bed.core.stopFeeds()
        await bed.core.stop()
        try bed.close()
    }

    private func send(_ bed: ListenerBed, _ json: String) async throws -> Reply {
        try await bed.send(.post, "/_replicate", json)
    }

    @Test("create_target makes no database for a source that cannot be read")
    func sourceThatCannotBeRead() async throws {
        let order = #"{"source":"http://a.example/db","target":"new","create_target":true,"continuous":false}"#
        let continuous = order.replacing("false", with: "true")
        for (code, error, status, startsLater) in [
            (.unauthorized, "unauthorized", 401, false), (.notFound, "db_not_found", 404, false),
            (.rejected, "forbidden", 403, false), (.busy, "replication_failed", 500, true),
        ] as [(StorageError.Code, String, Int, Bool)] {
            let replicator = FakeReplicator(sourceFailure: StorageError(code, "It is refused."))
            try await withReplicator(replicator) { bed in
                let reply = try await send(bed, order)
                #expect(reply.status == status)
                #expect(try reply.object()["error"]?.stringValue == error)
                #expect(try await bed.send(.get, "/new").status == 404)
                // A continuous one waits for a server that cannot be reached.
                #expect(try await send(bed, continuous).status == (startsLater ? 202 : status))
                #expect(try await bed.send(.get, "/new").status == (startsLater ? 200 : 404))
                // A target that is there is used, and the replication itself tells what is wrong.
                let there = order.replacing("new", with: "db")
                #expect(try await send(bed, there).status == 200)
                #expect(replicator.checked.withLock { $0 } == ["http://a.example/db", "http://a.example/db"])
            }
        }
        let replicator = FakeReplicator()
        try await withReplicator(replicator) { bed in
            let reply = try await send(bed, order)
            #expect(reply.status == 200)
            #expect(try await bed.send(.get, "/new").status == 200)
            let missing = #"{"source":"none","target":"other","create_target":true}"#
            #expect(try await send(bed, missing).status == 404)
            #expect(try await bed.send(.get, "/other").status == 404)
        }
    }
}
