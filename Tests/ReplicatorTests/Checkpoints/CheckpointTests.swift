internal import Foundation
internal import Settee
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

@Suite("Checkpoints, and sides that were replaced")
struct CheckpointTests {
    private func fill(_ database: Database, _ names: String, _ count: Int) throws {
        try database.inTransaction {
            for number in 0..<count { _ = try database["\(names)\(number)"].put(["n": number]) }
        }
    }

    /// Runs, and tells where the feed began and how many documents were asked about.
    private func run(
        _ bed: ReplicationBed,
        _ direction: ReplicationDirection = .push,
        _ fault: @escaping FaultyPeer.Fault = { _, _ in }
    ) async throws -> FaultyPeer {
        let peer = FaultyPeer(LocalPeer(bed.b), fault)
        try await bed.replicator(bed.configuration(direction), to: peer).run()
        return peer
    }

    @Test("the next run begins at the checkpoint, also by another replicator", arguments: ReplicationBed.types)
    func begin(_ type: StorageType) async throws {
        let bed = try ReplicationBed(type, type)
        try fill(bed.a, "a", 50)
        #expect(try await run(bed).offered == 50)
        try fill(bed.a, "more", 3)
        #expect(try await run(bed).offered == 3)
        let last = try await run(bed)
        #expect(last.offered == 0)
        #expect(last.saved == [])
        #expect(last.count <= 4)
        try bed.close()
    }

    @Test("whether it is continuous makes no other checkpoint; another filter does")
    func names() async throws {
        let bed = try ReplicationBed()
        var configuration = bed.configuration(.push)
        let id = try await CheckpointNames(configuration, .push).id
        configuration.isContinuous = true
        #expect(try await CheckpointNames(configuration, .push).id == id)
        configuration.documentIDs = ["b", "a"]
        let sorted = try await CheckpointNames(configuration, .push).id
        #expect(sorted != id)
        configuration.documentIDs = ["a", "b"]
        #expect(try await CheckpointNames(configuration, .push).id == sorted)
        #expect(try await CheckpointNames(configuration, .pull).id != sorted)
        configuration.target = .url("http://ida:secret@host:80/db/")
        let url = try await CheckpointNames(configuration, .push).id
        configuration.target = .url("http://host/db")
        #expect(try await CheckpointNames(configuration, .push).id == url)
        try bed.close()
    }

    @Test("a write that is lost on either side costs one step", arguments: [true, false])
    func lostWrite(ofTarget: Bool) async throws {
        let bed = try ReplicationBed()
        try fill(bed.a, "a", 20)
        _ = try await run(bed)
        try fill(bed.a, "b", 20)
        let id = "_local/" + (try await CheckpointNames(bed.configuration(.push), .push).id)
        let side = ofTarget ? bed.b : bed.a
        let old = try #require(try side[id].revision()).properties
        _ = try await run(bed)
        _ = try side[id].put(old)
        let peer = try await run(bed)
        #expect(peer.offered == 20)
        #expect(try await run(bed).offered == 0)
        try bed.close()
    }

    @Test("a target that was made anew gets everything")
    func newTarget() async throws {
        let bed = try ReplicationBed()
        try fill(bed.a, "a", 20)
        var configuration = bed.configuration(.push)
        configuration.remoteUUID = "kitchen"
        try await bed.replicator(configuration).run()
        let other = try TestDatabase(.sqlite)
        let peer = FaultyPeer(LocalPeer(other.database))
        try await bed.replicator(configuration, to: peer).run()
        #expect(peer.offered == 20)
        try expectEqual(bed.a, other.database)
        try other.manager.close()
        try bed.close()
    }

    @Test("a side that was restored goes on at its last common session", arguments: [StorageType.sqlite, .lmdb])
    func restored(_ type: StorageType) async throws {
        let bed = try ReplicationBed(type, type)
        var configuration = bed.configuration(.push)
        configuration.remoteUUID = "kitchen"
        try fill(bed.a, "a", 20)
        try await bed.replicator(configuration).run()
        let backup = bed.second.folder.url.appending(path: "backup")
        try bed.b.copy(to: backup)
        try fill(bed.a, "b", 7)
        try await bed.replicator(configuration).run()
        try bed.second.replace(by: backup)
        let peer = FaultyPeer(LocalPeer(bed.b))
        try await bed.replicator(configuration, to: peer).run()
        #expect(peer.offered == 7)
        try expectEqual(bed.a, bed.b)
        try bed.close()
    }

    @Test("a copy of the database goes on where the original was")
    func copied() async throws {
        let bed = try ReplicationBed(.sqlite, .sqlite)
        try fill(bed.a, "a", 20)
        try await bed.run(.push)
        let url = bed.first.folder.url.appending(path: "copy")
        try bed.a.copy(to: url)
        let copy = try Database.open(at: url)
        #expect(try copy.previousPrivateUUID != nil)
        try fill(copy, "b", 3)
        var configuration = ReplicatorConfiguration(database: copy, target: .database(bed.b))
        configuration.direction = .push
        for count in [3, 0] {
            let peer = FaultyPeer(LocalPeer(bed.b))
            try await bed.replicator(configuration, to: peer).run()
            #expect(peer.offered == count)
        }
        try expectEqual(copy, bed.b)
        try copy.close()
        try bed.close()
    }

    @Test(
        "a backup that is put in the place of its database goes on where the backup was",
        arguments: [StorageType.sqlite, .lmdb]
    )
    func replacedByBackup(_ type: StorageType) async throws {
        let bed = try ReplicationBed(type, .memory)
        try fill(bed.a, "a", 20)
        try await bed.run(.push)
        let backup = bed.first.folder.url.appending(path: "backup")
        try bed.a.copy(to: backup)
        try fill(bed.a, "b", 7)
        try await bed.run(.push)
        try bed.first.replace(by: backup)
        try fill(bed.a, "c", 3)
        for count in [3, 0] { #expect(try await run(bed).offered == count) }
        try await bed.run(.pull)
        try expectEqual(bed.a, bed.b)
        try bed.close()
    }

    @Test("a source whose sequence is below the checkpoint is read from the beginning")
    func rewound() async throws {
        let bed = try ReplicationBed()
        try fill(bed.b, "b", 20)
        var configuration = bed.configuration(.pull)
        configuration.remoteUUID = "kitchen"
        try await bed.replicator(configuration).run()
        let id = try await CheckpointNames(configuration, .pull).id
        let other = try TestDatabase(.memory)
        _ = try other.database["c"].put(["n": 1])
        // As after a restore that kept the local documents.
        _ = try other.database["_local/" + id].put(try #require(try bed.b["_local/" + id].revision()).properties)
        let peer = FaultyPeer(LocalPeer(other.database))
        try await bed.replicator(configuration, to: peer).run()
        #expect(peer.since.first == .some(nil))
        #expect(try bed.a["c"].exists)
        try other.manager.close()
        try bed.close()
    }

    @Test("a side that takes no checkpoints is pulled from once", arguments: [PeerError.Kind.readOnly, .forbidden])
    func readOnly(_ kind: PeerError.Kind) async throws {
        let bed = try ReplicationBed()
        try fill(bed.b, "b", 20)
        let fault: FaultyPeer.Fault = { call, _ in
            if call == .save { throw PeerError(kind, status: 403, "No.") }
        }
        _ = try await run(bed, .pull, fault)
        try expectEqual(bed.a, bed.b)
        try fill(bed.b, "more", 2)
        let peer = try await run(bed, .pull, fault)
        #expect(peer.since.first == .some(20))
        try expectEqual(bed.a, bed.b)
        try bed.close()
    }

    @Test("resetting asks about all documents, and sends none again")
    func reset() async throws {
        let bed = try ReplicationBed()
        try fill(bed.a, "a", 20)
        try await bed.run(.push)
        var configuration = bed.configuration(.push)
        configuration.resetsCheckpoint = true
        let peer = FaultyPeer(LocalPeer(bed.b))
        try await bed.replicator(configuration, to: peer).run()
        #expect(peer.offered == 20)
        #expect(peer.count(.insert) == 0)
        #expect(try await run(bed).offered == 0)
        try bed.close()
    }

    @Test("a checkpoint is never ahead of a document, wherever it stops, and the next run goes on from it")
    func neverAhead() async throws {
        for stop in stride(from: 3, through: 60, by: 3) {
            let bed = try ReplicationBed()
            bed.limits.feedRows = 10
            bed.limits.diffRows = 5
            bed.limits.fetchDocuments = 2
            bed.limits.writeRevisions = 2
            bed.limits.checkpointInterval = .zero
            try fill(bed.a, "a", 60)
            let task = Locked<Task<Void, any Error>?>(nil)
            let peer = FaultyPeer(LocalPeer(bed.b)) { _, count in
                if count == stop { task.withLock { $0?.cancel() } }
            }
            let replicator = bed.replicator(bed.configuration(.push), to: peer)
            let running = task.withLock { task in
                let running = Task { try await replicator.run() }
                task = running
                return running
            }
            _ = await running.result
            let id = try await CheckpointNames(bed.configuration(.push), .push).id
            let saved = try await LocalPeer(bed.b).checkpoint(id).flatMap { CheckpointLog($0.body) }?.sequence
            let last = UInt64(saved?.intValue ?? 0)
            let (before, there) = (try bed.a.changePage(since: 0, through: last, limit: 100, bytes: .max).rows, bed.b)
            for row in before { #expect(try there[row.documentID].exists, "stopped at \(stop)") }
            let next = try await run(bed)
            #expect(next.offered == 60 - before.count, "stopped at \(stop)")
            try expectEqual(bed.a, bed.b)
            try bed.close()
        }
    }
}
