internal import Foundation
internal import Settee
internal import SetteeListener
internal import SetteeTestSupport
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// Random changes to three to five databases of different engines, and random replications between some of them, half
/// of which fail. The seed decides who replicates with whom, whether over HTTP, and whether there are purges.
struct RandomRounds {
    private var random: SeededGenerator
    private let beds: [TestDatabase]
    /// Those who replicate with each other.
    private let links: [(Int, Int)]
    private let purges: Bool
    /// One for each database, where they are served.
    private let listeners: [Listener]
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
    private static let rounds = 12

    /// In the long form 10,000 rounds.
    static let seeds: [UInt64] = (1...(isLong ? 834 : 12)).map { $0 }

    init(_ seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        let count = 3 + random.below(3)
        let isServed = seed.isMultiple(of: 2)
        // A server has no keys.
        let types = isServed ? Storage.plain : Storage.all
        beds = try (0..<count).map { try TestDatabase(types[(Int(seed) + $0) % types.count]) }
        links = RandomRounds.links(count, random.below(4))
        purges = random.chance(1, in: 3)
        listeners =
            try isServed
            ? beds.map { try Listener(manager: $0.manager, configuration: ListenerConfiguration(port: 0)) } : []
    }

    /// A line, a ring, a star, or all with all.
    private static func links(_ count: Int, _ kind: Int) -> [(Int, Int)] {
        switch kind {
        case 0: (1..<count).map { ($0 - 1, $0) }
        case 1: (0..<count).map { ($0, ($0 + 1) % count) }
        case 2: (1..<count).map { (0, $0) }
        default: (0..<count).flatMap { a in (a + 1..<count).map { (a, $0) } }
        }
    }

    mutating func run() async throws {
        for listener in listeners { try await listener.start() }
        do {
            try await changeAndReplicate()
            try await meet()
        } catch {
            await stop()
            throw error
        }
        await stop()
        for bed in beds.dropFirst() { try expectEqual(beds[0].database, bed.database, "seed \(random.seed)") }
        for bed in beds {
            #expect(try bed.database.check().map(\.description) == [])
            try bed.manager.close()
        }
    }

    private func stop() async { for listener in listeners { await listener.stop() } }

    private mutating func changeAndReplicate() async throws {
        for _ in 0..<RandomRounds.rounds {
            for _ in 0..<8 { try change() }
            let (a, b) = links[random.below(links.count)]
            let ends = random.chance(1, in: 2) ? (a, b) : (b, a)
            let direction: ReplicationDirection = [.push, .pull, .pushAndPull][random.below(3)]
            if random.chance(1, in: 2) {
                // It may end before the call that fails.
                try? await replicator(ends, direction, failingAt: 1 + random.below(12)).run()
            } else {
                try await replicator(ends, direction).run()
            }
        }
    }

    /// All links replicate until what one end of the longest line has is at the other.
    private func meet() async throws {
        for _ in beds {
            for link in links {
                let replicator = try replicator(link, .pushAndPull, resets: purges)
                try await replicator.run()
                #expect(replicator.failedDocuments.map(\.documentID) == [], "seed \(random.seed)")
            }
        }
    }

    private mutating func change() throws {
        let database = beds[random.below(beds.count)].database
        let document = database["doc\(random.below(10))"]
        switch random.below(14) {
        case 0: if try document.exists { try document.delete() }
        case 1, 2:
            let content = random.bytes(random.below(2_000))
            try document.setAttachment(named: "a\(random.below(3))", contentType: "text/plain", content: content)
        case 3:
            let leaves = try document.conflictingRevisions()
            if leaves.count > 1 { try document.resolveConflict(keeping: leaves[random.below(leaves.count)].id) }
        case 4: _ = try document.removeAttachment(named: "a\(random.below(3))")
        case 5: if purges { _ = try document.purge() }
        case 6: if random.chance(1, in: 4) { _ = try database.compact() }
        default:
            let value = Int64(random.below(1_000_000))
            _ = try document.update { $0["value"] = JSONValue(value) }
        }
    }

    /// - Parameter nth: the call of the second database that fails, and all after it; 0: none.
    private func replicator(
        _ ends: (Int, Int),
        _ direction: ReplicationDirection,
        failingAt nth: Int = 0,
        resets: Bool = false
    ) throws -> Replicator {
        let database = beds[ends.1].database
        let url = listeners.isEmpty ? nil : listeners[ends.1].url.map { "\($0)test" }
        let target: ReplicatorTarget = url.map { .url($0) } ?? .database(database)
        var configuration = ReplicatorConfiguration(database: beds[ends.0].database, target: target)
        configuration.direction = direction
        configuration.resetsCheckpoint = resets
        let base: any Peer = try url.map { try RemotePeer(RemoteEndpoint($0)) } ?? LocalPeer(database)
        let peer = FaultyPeer(base) { _, count in
            if nth > 0, count >= nth { throw PeerError.cut }
        }
        return Replicator(configuration, limits: ReplicationBed.limits) { peer }
    }
}
