internal import Foundation
internal import Settee
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

@Suite("Failed documents that the database keeps")
struct KeptFailuresTests {
    private func fill(_ database: Database, _ count: Int) throws {
        try database.inTransaction {
            for number in 0..<count { _ = try database["d\(number)"].put(["n": number]) }
        }
    }

    private func kept(_ bed: ReplicationBed, _ direction: ReplicatedDocument.Direction) async throws -> KeptFailures {
        let names = try await CheckpointNames(bed.configuration(.pushAndPull), direction)
        return KeptFailures(LocalPeer(bed.a), names, direction)
    }

    private func stored(_ bed: ReplicationBed) async throws -> SavedRevision? {
        let names = try await CheckpointNames(bed.configuration(.push), .push)
        return try bed.a["_local/\(names.id)-failed"].revision()
    }

    @Test("a later replicator tries them again, and forgets what succeeds", arguments: ReplicationBed.types)
    func later(_ type: StorageType) async throws {
        let bed = try ReplicationBed(type, .memory)
        try fill(bed.a, 20)
        let error = PeerError(.forbidden, status: 403, "The hushed is wrong.")
        let poison = PoisonedPeer(LocalPeer(bed.b), "d7", at: .insert, error)
        try await bed.replicator(bed.configuration(.push), to: poison).run()
        #expect(try #require(try await stored(bed)).json.count < 200)
        #expect(try #require(try await stored(bed)).properties.description.contains("hush") == false)
        try bed.first.reopen()

        let second = bed.replicator(bed.configuration(.push), to: poison)
        try await second.retryFailed()
        #expect(second.failedDocuments.map(\.documentID) == ["d7"])
        let revision = try await stored(bed)?.id
        let third = bed.replicator(bed.configuration(.push), to: poison)
        try await third.run()
        #expect(third.failedDocuments.map(\.documentID) == ["d7"])
        #expect(third.failedDocuments.first?.error?.code == .forbidden)
        #expect(third.failedDocuments.first?.error?.status == 403)
        #expect(try await stored(bed)?.id == revision, "nothing has changed")

        poison.isPoisoned.withLock { $0 = false }
        let fourth = bed.replicator(bed.configuration(.push), to: poison)
        try await fourth.retryFailed()
        #expect(fourth.failedDocuments.isEmpty)
        try expectEqual(bed.a, bed.b)
        #expect(try await kept(bed, .push).load().isEmpty)
        try bed.close()
    }

    @Test("a document that changes and is passed on leaves the list")
    func changed() async throws {
        let bed = try ReplicationBed()
        try fill(bed.b, 20)
        let poison = PoisonedPeer(LocalPeer(bed.b), "d7", at: .revisions, PeerError(.tooLarge, status: 413, "Large."))
        try await bed.replicator(bed.configuration(.pull), to: poison).run()
        #expect(try await kept(bed, .pull).load().map(\.event.documentID) == ["d7"])
        #expect(try await kept(bed, .push).load().isEmpty)
        poison.isPoisoned.withLock { $0 = false }
        _ = try bed.b["d7"].update { $0["n"] = 8 }
        let next = bed.replicator(bed.configuration(.pull), to: poison)
        try await next.run()
        #expect(next.failedDocuments.isEmpty)
        #expect(try await kept(bed, .pull).load().isEmpty)
        try expectEqual(bed.a, bed.b)
        try bed.close()
    }

    @Test("a retry that cannot reach the other side forgets nothing")
    func unreachable() async throws {
        let bed = try ReplicationBed()
        try fill(bed.a, 20)
        let poison = PoisonedPeer(LocalPeer(bed.b), "d7", at: .insert, PeerError(.forbidden, status: 403, "No."))
        let replicator = bed.replicator(bed.configuration(.push), to: poison)
        try await replicator.run()
        let gone = FaultyPeer(LocalPeer(bed.b)) { _, _ in throw PeerError.cut }
        let other = bed.replicator(bed.configuration(.push), to: gone)
        await #expect(throws: ReplicationError.self) { try await other.retryFailed() }
        #expect(other.failedDocuments.map(\.documentID) == ["d7"])
        #expect(try await kept(bed, .push).load().map(\.event.documentID) == ["d7"])
        try bed.close()
    }

    @Test("the list is written before a checkpoint goes past what failed")
    func before() async throws {
        let bed = try ReplicationBed()
        bed.limits.checkpointInterval = .zero
        try fill(bed.a, 20)
        let seen = Locked<[Int]>([])
        let poison = PoisonedPeer(LocalPeer(bed.b), "d3", at: .insert, PeerError(.forbidden, status: 403, "No."))
        let kept = try await kept(bed, .push)
        let counted = Locked(0)
        let peer = FaultyPeer(poison) { call, _ in
            if call == .save { counted.withLock { $0 += 1 } }
        }
        try await bed.replicator(
            bed.configuration(.push),
            to: SavingPeer(base: peer) { sequence in
                let count = try await kept.load().count
                if sequence >= 4 { seen.withLock { $0.append(count) } }
            }
        ).run()
        #expect(counted.withLock { $0 } > 0)
        #expect(seen.withLock { !$0.isEmpty && $0.allSatisfy { $0 == 1 } })
        try bed.close()
    }

    @Test("a database that is read-only is pushed, and keeps nothing")
    func readOnly() async throws {
        let bed = try ReplicationBed(.sqlite, .memory)
        try fill(bed.a, 20)
        let path = try #require(bed.a.path)
        try bed.a.close()
        let database = try Database.open(at: URL(filePath: path), options: DatabaseOptions(readOnly: true))
        var configuration = ReplicatorConfiguration(database: database, target: .database(bed.b))
        configuration.direction = .push
        let poison = PoisonedPeer(LocalPeer(bed.b), "d7", at: .insert, PeerError(.forbidden, status: 403, "No."))
        let replicator = bed.replicator(configuration, to: poison)
        try await replicator.run()
        try await replicator.run()
        #expect(replicator.failedDocuments.map(\.documentID) == ["d7"])
        poison.isPoisoned.withLock { $0 = false }
        try await replicator.retryFailed()
        #expect(replicator.failedDocuments.isEmpty)
        try expectEqual(database, bed.b)
        try database.close()
        try bed.close()
    }

    @Test("a list that is none is passed over, whoever wrote it")
    func nonsense() async throws {
        let bed = try ReplicationBed()
        let names = try await CheckpointNames(bed.configuration(.push), .push)
        let lists: [JSONValue] = [
            7, "x", [7, "x", [:], ["id": 7, "revs": []], ["id": "d1"], ["id": "d1", "revs": "1-a"]],
            [["id": "", "revs": ["1-a"]], ["id": "d1", "revs": ["x", 7], "status": "x", "error": 7]],
        ]
        try fill(bed.a, 3)
        for list in lists {
            _ = try bed.a["_local/\(names.id)-failed"].put(["failures": list], parent: try await stored(bed)?.id)
            let replicator = bed.replicator(bed.configuration(.push))
            try await replicator.retryFailed()
            try await replicator.run()
            try expectEqual(bed.a, bed.b)
        }
        try bed.close()
    }

    @Test("the newest thousand are kept, as far as they have a mebibyte")
    func bounds() async throws {
        let bed = try ReplicationBed()
        let kept = try await kept(bed, .push)
        let failures = FailedDocuments()
        func add(_ ids: some Sequence<String>) {
            for id in ids {
                let error = ReplicationError(.tooLarge, status: 413, "It is too large.")
                let event = ReplicatedDocument(documentID: id, direction: .push, error: error, flags: .deleted)
                failures.add(FailedDocuments.Failure(event: event, leaves: (1...40).map { "\($0)-abc" }))
            }
        }
        add((0..<1_100).lazy.map { "d\($0)" })
        try await kept.save(failures)
        var list = try await kept.load()
        #expect(list.map(\.event.documentID) == (100..<1_100).map { "d\($0)" })
        #expect(list.allSatisfy { $0.leaves.count == 20 && $0.event.flags == .deleted })
        failures.remove(["d100"], .push)
        failures.remove(["d50"], .push)
        add(["new", "d101"])
        try await kept.save(failures)
        list = try await kept.load()
        #expect(list.map(\.event.documentID) == (101..<1_100).map { "d\($0)" } + ["new"])
        let long = String(repeating: "x", count: 4_000)
        add((0..<500).lazy.map { "\(long)\($0)" })
        try await kept.save(failures)
        list = try await kept.load()
        #expect(list.count < 500 && list.last?.event.documentID == "\(long)499")
        #expect(try #require(try await stored(bed)).json.count <= 1 << 20 + 1_000)
        try bed.close()
    }
}

/// Tells of each checkpoint before it is written.
private struct SavingPeer: ForwardingPeer {
    let base: any Peer
    let tell: @Sendable (Int64) async throws -> Void

    func save(_ checkpoint: JSONObject, as id: String, replacing revision: String?) async throws -> String {
        try await tell(checkpoint["source_last_seq"]?.intValue ?? 0)
        return try await base.save(checkpoint, as: id, replacing: revision)
    }
}
