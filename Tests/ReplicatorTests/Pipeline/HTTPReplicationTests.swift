internal import Foundation
internal import Settee
internal import SetteeListener
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

@Suite("Replication over HTTP")
struct HTTPReplicationTests {
    /// Runs `body` with a listener over the second database, and the URL of that.
    private func served(
        _ types: (StorageType, StorageType),
        _ body: (ReplicationBed, String) async throws -> Void
    ) async throws {
        let bed = try ReplicationBed(types.0, types.1)
        let listener = try Listener(manager: bed.second.manager, configuration: ListenerConfiguration(port: 0))
        try await listener.start()
        let url = try #require(listener.url)
        do {
            try await body(bed, "\(url)test")
        } catch {
            await listener.stop()
            throw error
        }
        await listener.stop()
        try bed.close()
    }

    private func configuration(
        _ bed: ReplicationBed,
        _ url: String,
        _ direction: ReplicationDirection
    ) -> ReplicatorConfiguration {
        var configuration = ReplicatorConfiguration(database: bed.a, target: .url(url))
        configuration.direction = direction
        return configuration
    }

    @Test("push and pull make both sides equal", arguments: ReplicationBed.pairs)
    func everything(_ types: (StorageType, StorageType)) async throws {
        try await served(types) { bed, url in
            for number in 0..<300 { _ = try bed.a["a\(number)"].put(["n": number]) }
            for number in 0..<300 { _ = try bed.b["b\(number)"].put(["n": number]) }
            try bed.a["a1"].delete()
            _ = try bed.a["same"].put(["side": "a"])
            _ = try bed.b["same"].put(["side": "b"])
            try bed.a["with"].setAttachment(named: "x", contentType: "text/plain", content: Array("content".utf8))
            let large = [UInt8](repeating: 7, count: 3 << 20)
            try bed.a["large"].setAttachment(named: "y", contentType: nil, content: large)
            try bed.b["large2"].setAttachment(named: "y", contentType: nil, content: large + [1])
            let replicator = Replicator(configuration(bed, url, .pushAndPull))
            try await replicator.run()
            #expect(replicator.failedDocuments.map(\.documentID) == [])
            try expectEqual(bed.a, bed.b)
            // The next one has nothing to do.
            try await replicator.run()
            #expect(replicator.status.progress.total < 700)
            _ = try bed.a["with"].update { $0["more"] = true }
            _ = try bed.b["large"].update { $0["more"] = true }
            try await replicator.run()
            try expectEqual(bed.a, bed.b)
        }
    }

    @Test("changes are passed on as they come")
    func continuous() async throws {
        try await served((.memory, .sqlite)) { bed, url in
            var setup = configuration(bed, url, .pushAndPull)
            setup.isContinuous = true
            let replicator = Replicator(setup)
            replicator.start()
            try await eventually { replicator.status.activity == .idle }
            for number in 0..<5 {
                _ = try bed.a["a\(number)"].put(["n": number])
                _ = try bed.b["b\(number)"].put(["n": number])
                try await eventually { try bed.b["a\(number)"].exists && bed.a["b\(number)"].exists }
            }
            await replicator.stop()
            try expectEqual(bed.a, bed.b)
        }
    }

    @Test("a database that is not there is made where that is wanted")
    func creates() async throws {
        try await served((.memory, .memory)) { bed, url in
            _ = try bed.a["a"].put(["n": 1])
            var setup = configuration(bed, url + "-new", .push)
            await #expect(throws: ReplicationError.self) { try await Replicator(setup).run() }
            setup.createsTarget = true
            try await Replicator(setup).run()
            let made = try #require(try bed.second.manager.existingDatabase(named: "test-new"))
            try expectEqual(bed.a, made)
            // A `URL` is taken, too.
            _ = try bed.a["b"].put(["n": 2])
            try await bed.a.createPushReplication(try #require(URL(string: url + "-new"))).run()
            try expectEqual(bed.a, made)
        }
    }

    @Test("a peer that nobody serves is offline")
    func offline() async throws {
        let bed = try ReplicationBed()
        let replicator = bed.a.createPullReplication("http://127.0.0.1:9/db")
        await #expect(throws: ReplicationError.self) { try await replicator.run() }
        #expect(replicator.status.error?.isTransient == true)
        await #expect(throws: ReplicationError.self) { try await bed.a.createPushReplication("nonsense").run() }
        try bed.close()
    }
}
