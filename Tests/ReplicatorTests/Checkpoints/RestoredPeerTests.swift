internal import Foundation
internal import Settee
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

@Suite("Databases that are put back, or made anew, while a replication runs")
struct RestoredPeerTests {
    private let bed: ReplicationBed
    private let peer: RestoredPeer

    init() throws {
        bed = try ReplicationBed(.sqlite, .sqlite)
        // The wait of an idle replication.
        bed.limits.longestWait = .milliseconds(100)
        bed.limits.checkpointInterval = .milliseconds(20)
        peer = RestoredPeer(LocalPeer(bed.b))
    }

    private func start(_ direction: ReplicationDirection) async throws -> Replicator {
        var configuration = bed.configuration(direction)
        configuration.isContinuous = true
        let replicator = bed.replicator(configuration, to: peer)
        replicator.start()
        try await eventually { replicator.status.activity == .idle }
        return replicator
    }

    /// Waits for the checkpoint behind everything that the source has.
    private func checkpoint(of source: Database, _ direction: ReplicatedDocument.Direction) async throws {
        let id = try await CheckpointNames(bed.configuration(direction == .push ? .push : .pull), direction).id
        let last = JSONValue(Int64(try source.lastSequence))
        try await eventually {
            try [bed.a, bed.b].allSatisfy { try $0["_local/" + id].revision()?.properties["source_last_seq"] == last }
        }
    }

    private func backup() throws -> Database {
        let url = bed.second.folder.url.appending(path: "backup")
        try bed.b.copy(to: url)
        return try Database.open(at: url)
    }

    @Test("a target that is put back gets again what it has lost", arguments: [true, false])
    func target(isNoticed: Bool) async throws {
        let replicator = try await start(.push)
        _ = try bed.a["kept"].put([:])
        try await checkpoint(of: bed.a, .push)
        let older = try backup()
        _ = try bed.a["lost"].put([:])
        try await checkpoint(of: bed.a, .push)
        peer.restore(LocalPeer(older), isNoticed: isNoticed)
        if isNoticed { _ = try bed.a["new"].put([:]) }
        try await eventually { try older["lost"].exists }
        try await eventually { try !isNoticed || older["new"].exists }
        await replicator.stop()
        #expect(replicator.status.error == nil)
        try expectEqual(bed.a, older)
        try older.close()
        try bed.close()
    }

    @Test("a source that is put back, and gives out sequences again, is read again", arguments: [1, 3, 20])
    func source(newDocuments: Int) async throws {
        let replicator = try await start(.pull)
        _ = try bed.b["kept"].put([:])
        try await checkpoint(of: bed.b, .pull)
        let older = try backup()
        for number in 0..<3 { _ = try bed.b["lost\(number)"].put([:]) }
        try await checkpoint(of: bed.b, .pull)
        for number in 0..<newDocuments { _ = try older["new\(number)"].put([:]) }
        // Where its sequence is not lower, only a broken request tells.
        peer.restore(LocalPeer(older), isNoticed: newDocuments == 3)
        try await eventually { try (0..<newDocuments).allSatisfy { try bed.a["new\($0)"].exists } }
        await replicator.stop()
        #expect(replicator.status.error == nil)
        #expect(try bed.a["lost2"].exists)
        try older.close()
        try bed.close()
    }

    @Test("a source that is made anew is read from the beginning")
    func madeAnew() async throws {
        let replicator = try await start(.pull)
        for number in 0..<5 { _ = try bed.b["old\(number)"].put([:]) }
        try await checkpoint(of: bed.b, .pull)
        let other = try TestDatabase(.sqlite)
        _ = try other.database["new"].put([:])
        peer.restore(LocalPeer(other.database), isNoticed: false)
        try await eventually { try bed.a["new"].exists }
        await replicator.stop()
        try other.manager.close()
        try bed.close()
    }

    @Test("two that write the same checkpoint go on, and neither begins anew")
    func twoReplicators() async throws {
        let replicators = [try await start(.push), try await start(.push)]
        for number in 0..<20 {
            _ = try bed.a["a\(number)"].put([:])
            try await Task.sleep(for: .milliseconds(20))
        }
        try await checkpoint(of: bed.a, .push)
        for replicator in replicators {
            await replicator.stop()
            #expect(replicator.status.error == nil)
        }
        let next = FaultyPeer(peer)
        try await bed.replicator(bed.configuration(.push), to: next).run()
        #expect(next.offered == 0)
        try expectEqual(bed.a, bed.b)
        try bed.close()
    }

    @Test("folders that were copied by hand become equal in both directions", arguments: [StorageType.sqlite, .lmdb])
    func copiedByHand(_ type: StorageType) async throws {
        let first = try TestDatabase(type)
        _ = try first.database["both"].put([:])
        let url = try #require(first.database.url)
        try first.database.close()
        let copyURL = url.deletingLastPathComponent().appending(path: "copy.settee")
        try FileManager.default.copyItem(at: url, to: copyURL)
        try first.reopen()
        let (a, b) = (first.database, try Database.open(at: copyURL))
        for number in 0..<5 { _ = try a["a\(number)"].put([:]) }
        for number in 0..<2 { _ = try b["b\(number)"].put([:]) }
        for (source, target) in [(a, b), (b, a), (a, b)] {
            var configuration = ReplicatorConfiguration(database: source, target: .database(target))
            configuration.direction = .push
            let replicator = Replicator(configuration)
            try await replicator.run()
            #expect(try await replicator.pendingDocumentIDs().isEmpty == false)
        }
        try expectEqual(a, b)
        try b.close()
        try first.manager.close()
    }
}
