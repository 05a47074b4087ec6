internal import Settee
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

@Suite("A database here as a side", .timeLimit(.minutes(30)))
struct LocalPeerTests {
    @Test("a question that waits is answered by the next commit", arguments: ReplicationBed.types)
    func waits(_ type: StorageType) async throws {
        let bed = try ReplicationBed(type)
        let peer = LocalPeer(bed.a)
        async let answer = peer.changes(ChangesQuery(since: 0, limit: 10, wait: .seconds(86_400)))
        try await Task.sleep(for: .milliseconds(300))
        _ = try bed.a["a"].put(["n": 1])
        let page = try await answer
        #expect(page.rows.map(\.id) == ["a"])
        try bed.close()
    }

    @Test("what a replication was told to judge with refuses single documents", arguments: ReplicationBed.types)
    func judges(_ type: StorageType) async throws {
        for direction in [ReplicationDirection.push, .pull] {
            let bed = try ReplicationBed(type)
            let (source, target) = direction == .push ? (bed.a, bed.b) : (bed.b, bed.a)
            for number in 0..<10 { _ = try source["d\(number)"].put(["n": .int(Int64(number))]) }
            var configuration = bed.configuration(direction)
            configuration.validation = {
                { revision, context in if revision.properties["n"] == 3 { context.reject() } }
            }
            try await Replicator(configuration).run()
            #expect(try target.documentCount == 9)
            #expect(try target["d3"].revision() == nil)
            try bed.close()
        }
    }

    @Test("a question that waits is over with its time, and with its task")
    func ends() async throws {
        let bed = try ReplicationBed()
        let peer = LocalPeer(bed.a)
        let page = try await peer.changes(ChangesQuery(since: 0, limit: 10, wait: .milliseconds(50)))
        #expect(page.rows.isEmpty && page.isAtEnd)
        let task = Task { try await peer.changes(ChangesQuery(since: 0, limit: 10, wait: .seconds(600))) }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try bed.close()
    }
}
