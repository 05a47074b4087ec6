internal import Foundation
internal import Settee
internal import SetteeTestSupport
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// Random changes to three databases of different engines, and random replications between them, some of which fail.
struct RandomRounds {
    private var random: SeededGenerator
    private let beds: [TestDatabase]
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    static let seeds: [UInt64] = (1...(isLong ? 500 : 6)).map { $0 }

    init(_ seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        beds = try [TestDatabase(.memory), TestDatabase(.sqlite), TestDatabase(.lmdb)]
    }

    mutating func run() async throws {
        for _ in 0..<12 {
            for _ in 0..<8 { try change() }
            try? await replicate(failing: random.chance(1, in: 2))
        }
        // All meet all, twice.
        for _ in 0..<2 {
            for a in beds {
                for b in beds where a !== b { try await replicator(a, b, .pushAndPull, failingAt: 0).run() }
            }
        }
        try expectEqual(beds[0].database, beds[1].database, "seed \(random.seed)")
        try expectEqual(beds[1].database, beds[2].database, "seed \(random.seed)")
        for bed in beds {
            #expect(try bed.database.check().map(\.description) == [])
            try bed.manager.close()
        }
    }

    private mutating func change() throws {
        let database = beds[random.below(beds.count)].database
        let document = database["doc\(random.below(10))"]
        switch random.below(10) {
        case 0: if try document.exists { try document.delete() }
        case 1, 2:
            let content = random.bytes(random.below(2_000))
            try document.setAttachment(named: "a\(random.below(3))", contentType: "text/plain", content: content)
        case 3:
            let leaves = try document.conflictingRevisions()
            if leaves.count > 1 { try document.resolveConflict(keeping: leaves[random.below(leaves.count)].id) }
        default:
            let value = Int64(random.below(1_000_000))
            _ = try document.update { $0["value"] = JSONValue(value) }
        }
    }

    private mutating func replicate(failing: Bool) async throws {
        let a = random.below(beds.count)
        let b = (a + 1 + random.below(beds.count - 1)) % beds.count
        let direction: ReplicationDirection = [.push, .pull, .pushAndPull][random.below(3)]
        try await replicator(beds[a], beds[b], direction, failingAt: failing ? 1 + random.below(12) : 0).run()
    }

    private func replicator(
        _ a: TestDatabase,
        _ b: TestDatabase,
        _ direction: ReplicationDirection,
        failingAt nth: Int
    ) -> Replicator {
        var configuration = ReplicatorConfiguration(database: a.database, target: .database(b.database))
        configuration.direction = direction
        let peer = FaultyPeer(LocalPeer(b.database)) { _, count in
            if nth > 0, count >= nth { throw PeerError.cut }
        }
        return Replicator(configuration, limits: ReplicationBed.limits) { peer }
    }
}
