internal import Settee
internal import SetteeTestSupport
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

@Suite("Replication between databases here")
struct LocalReplicationTests {
    @Test("push and pull pass on documents, tombstones, conflicts and attachments", arguments: ReplicationBed.pairs)
    func everything(_ types: (StorageType, StorageType)) async throws {
        let bed = try ReplicationBed(types.0, types.1)
        for number in 0..<30 { _ = try bed.a["a\(number)"].put(["n": number]) }
        for number in 0..<30 { _ = try bed.b["b\(number)"].put(["n": number]) }
        try bed.a["a1"].delete()
        _ = try bed.a["same"].put(["side": "a"])
        _ = try bed.b["same"].put(["side": "b"])
        try bed.a["with"].setAttachment(named: "x", contentType: "text/plain", content: Array("content".utf8))
        try bed.b["large"].setAttachment(named: "y", contentType: nil, content: [UInt8](repeating: 7, count: 1 << 20))
        _ = try bed.a["_design/d"].put(["views": ["v": ["map": "function (doc) { emit(doc._id) }"]]])
        try await bed.run(.pushAndPull)
        try expectEqual(bed.a, bed.b)
        #expect(try bed.a["same"].conflictingRevisions().count == 2)
        #expect(try bed.b["a1"].revision()?.isDeleted == true)
        try bed.close()
    }

    @Test("edits between two runs make no conflict, however many there are", arguments: ReplicationBed.pairs)
    func manyEdits(_ types: (StorageType, StorageType)) async throws {
        let bed = try ReplicationBed(types.0, types.1)
        _ = try bed.a["a"].put(["n": 0])
        try await bed.run(.push)
        #expect(try bed.a.maxRevTreeDepth == 1_000 && bed.b.maxRevTreeDepth == 1_000)
        for number in 1...25 { try bed.a["a"].update { $0["n"] = .int(Int64(number)) } }
        try await bed.run(.push)
        #expect(try bed.b["a"].leafRevisions().count == 1)
        #expect(try bed.b["a"].read()["n"]?.intValue == 25)
        // A depth that was set stays.
        try bed.b.setMaxRevTreeDepth(7)
        _ = try bed.a["b"].put(["n": 0])
        try await bed.run(.push)
        #expect(try bed.b.maxRevTreeDepth == 7)
        try bed.close()
    }

    @Test("a run goes one way")
    func directions() async throws {
        let bed = try ReplicationBed()
        _ = try bed.a["a"].put(["n": 1])
        _ = try bed.b["b"].put(["n": 1])
        try await bed.run(.push)
        #expect(try contents(of: bed.b).keys.sorted() == ["a", "b"])
        #expect(try contents(of: bed.a).keys.sorted() == ["a"])
        try await bed.run(.pull)
        try expectEqual(bed.a, bed.b)
        try bed.close()
    }

    @Test("content that the document has is not fetched again, that of another document is")
    func knownContents() async throws {
        let bed = try ReplicationBed()
        let content = [UInt8](repeating: 1, count: 100_000)
        try bed.b["one"].setAttachment(named: "x", contentType: nil, content: content)
        let peer = FaultyPeer(LocalPeer(bed.b))
        let replicator = bed.replicator(bed.configuration(.pull), to: peer)
        try await replicator.run()
        #expect(peer.count(.content) == 1)
        _ = try bed.b["one"].update { $0["changed"] = true }
        try bed.b["two"].setAttachment(named: "y", contentType: nil, content: content)
        try await replicator.run()
        // A digest counts within its own document.
        #expect(peer.count(.content) == 2)
        try expectEqual(bed.a, bed.b)
        try bed.close()
    }

    @Test("a fetch that breaks goes on where it broke off")
    func brokenContent() async throws {
        let bed = try ReplicationBed()
        try bed.b["one"].setAttachment(named: "x", contentType: nil, content: [UInt8](repeating: 3, count: 2 << 20))
        let peer = BreakingPeer(LocalPeer(bed.b))
        try await bed.replicator(bed.configuration(.pull), to: peer).run()
        try expectEqual(bed.a, bed.b)
        #expect(peer.bytes.withLock { $0 } == 2 << 20)
        #expect(peer.opened.withLock { $0 } > 3)
        try bed.close()
    }

    @Test("many documents pass through small stages")
    func smallStages() async throws {
        let bed = try ReplicationBed(.sqlite, .lmdb)
        bed.limits.feedRows = 7
        bed.limits.diffRows = 5
        bed.limits.fetchDocuments = 3
        bed.limits.writeRevisions = 4
        bed.limits.bytesInFlight = 5_000
        try bed.a.inTransaction {
            for number in 0..<500 {
                _ = try bed.a["d\(number)"].put(["text": .string(String(repeating: "x", count: number * 20))])
            }
        }
        let replicator = bed.replicator(bed.configuration(.push))
        try await replicator.run()
        try expectEqual(bed.a, bed.b)
        #expect(replicator.status.progress == .init(completed: 500, total: 500))
        #expect(replicator.status.activity == .stopped)
        try bed.close()
    }

    @Test("what both sides have is compared in few calls, and nothing of it is passed on")
    func known() async throws {
        let bed = try ReplicationBed()
        try bed.a.inTransaction { for number in 0..<2_500 { _ = try bed.a["d\(number)"].put(["n": number]) } }
        try await bed.run(.push)
        var configuration = bed.configuration(.push)
        configuration.resetsCheckpoint = true
        let peer = FaultyPeer(LocalPeer(bed.b))
        let replicator = bed.replicator(configuration, to: peer)
        let events = Locked(0)
        let listener = replicator.addDocumentListener { _ in events.withLock { $0 += 1 } }
        try await replicator.run()
        #expect(replicator.status.progress == .init(completed: 2_500, total: 2_500))
        #expect(peer.offered == 2_500)
        #expect(peer.count(.missing) <= 5)
        #expect(peer.count(.insert) == 0)
        #expect(events.withLock { $0 } == 0)
        #expect(peer.saved.last == 2_500)
        withExtendedLifetime(listener) {}
        try bed.close()
    }

    @Test("databases become equal whatever happens to them", .serialized, arguments: RandomRounds.seeds)
    func rounds(_ seed: UInt64) async throws {
        var rounds = try RandomRounds(seed)
        try await rounds.run()
    }
}
