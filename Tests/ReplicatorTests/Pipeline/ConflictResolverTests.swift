internal import Settee
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

@Suite("Resolving conflicts")
struct ConflictResolverTests {
    /// Two databases with a conflict in each of some documents.
    private func bed() async throws -> ReplicationBed {
        let bed = try ReplicationBed(.sqlite, .memory)
        for number in 0..<8 {
            _ = try bed.a["d\(number)"].put(["side": "a", "n": number])
            _ = try bed.b["d\(number)"].put(["side": "b", "n": number])
        }
        return bed
    }

    private func sides(_ database: Database) throws -> Set<String> {
        var sides: Set<String> = []
        for number in 0..<8 {
            let leaves = try database["d\(number)"].conflictingRevisions()
            #expect(leaves.count == 1)
            for leaf in leaves { sides.insert(leaf["side"]?.stringValue ?? "") }
        }
        return sides
    }

    @Test("mine and theirs stay as they say, and are passed on")
    func choice() async throws {
        for (resolver, winner) in [(ConflictResolver.mine, "a"), (.theirs, "b")] {
            let bed = try await bed()
            var configuration = bed.configuration(.pull)
            configuration.conflictResolver = resolver
            let replicator = bed.replicator(configuration)
            let resolved = Locked(0)
            let listener = replicator.addDocumentListener { event in
                if event.flags.contains(.resolved) { resolved.withLock { $0 += 1 } }
            }
            try await replicator.run()
            #expect(try sides(bed.a) == [winner])
            #expect(resolved.withLock { $0 } == 8)
            try await bed.run(.push)
            try expectEqual(bed.a, bed.b)
            withExtendedLifetime(listener) {}
            try bed.close()
        }
    }

    @Test("a closure merges")
    func merge() async throws {
        let bed = try await bed()
        var configuration = bed.configuration(.pull)
        configuration.conflictResolver = .merge { revisions in
            var body = try revisions[0].properties
            body["side"] = .string(revisions.compactMap { $0["side"]?.stringValue }.sorted().joined())
            return body
        }
        try await bed.replicator(configuration).run()
        #expect(try sides(bed.a) == ["ab"])
        try bed.close()
    }

    @Test("a closure that throws leaves the conflict, and is told")
    func throwing() async throws {
        let bed = try await bed()
        var configuration = bed.configuration(.pull)
        configuration.conflictResolver = .merge { _ in throw ApplicationError() }
        let replicator = bed.replicator(configuration)
        let codes = Locked<[ReplicationError.Code?]>([])
        let listener = replicator.addDocumentListener { event in codes.withLock { $0.append(event.error?.code) } }
        try await replicator.run()
        #expect(codes.withLock { $0.filter { $0 == .callback }.count } == 8)
        #expect(try bed.a["d1"].conflictingRevisions().count == 2)
        withExtendedLifetime(listener) {}
        try bed.close()
    }

    @Test("a conflict at which the resolver threw is a failed document, and offered again")
    func offeredAgain() async throws {
        let bed = try await bed()
        let isReady = Locked(false)
        var configuration = bed.configuration(.pull)
        configuration.conflictResolver = .merge { revisions in
            guard isReady.withLock({ $0 }) else { throw ApplicationError() }
            return try revisions[0].properties
        }
        let first = bed.replicator(configuration)
        try await first.run()
        #expect(first.failedDocuments.count == 8)
        #expect(first.failedDocuments.allSatisfy { $0.error?.code == .callback })
        try await first.retryFailed()
        #expect(first.failedDocuments.count == 8)
        // Another one knows them from the database.
        let second = bed.replicator(configuration)
        try await second.run()
        #expect(second.failedDocuments.count == 8)
        #expect(try bed.a["d1"].conflictingRevisions().count == 2)
        isReady.withLock { $0 = true }
        let third = bed.replicator(configuration)
        try await third.run()
        #expect(third.failedDocuments.isEmpty)
        for number in 0..<8 { #expect(try bed.a["d\(number)"].conflictingRevisions().count == 1) }
        try bed.close()
    }

    @Test("conflicts from before there was a resolver are offered to it, if that is asked for")
    func earlier() async throws {
        let bed = try await bed()
        try await bed.run(.pull)
        for number in 0..<8 { #expect(try bed.a["d\(number)"].conflictingRevisions().count == 2) }
        var configuration = bed.configuration(.pull)
        let offered = Locked(0)
        configuration.conflictResolver = .merge { revisions in
            offered.withLock { $0 += 1 }
            var body = try revisions[0].properties
            if body["n"] == 3 { throw ApplicationError() }
            body["side"] = "both"
            return body
        }
        try await bed.replicator(configuration).run()
        #expect(offered.withLock { $0 } == 0)
        configuration.resolvesEarlierConflicts = true
        let replicator = bed.replicator(configuration)
        let events = Locked<[ReplicatedDocument]>([])
        let listener = replicator.addDocumentListener { event in events.withLock { $0.append(event) } }
        try await replicator.run()
        withExtendedLifetime(listener) {}
        #expect(offered.withLock { $0 } == 8)
        #expect(events.withLock { $0.filter { $0.flags.contains(.resolved) }.count } == 7)
        #expect(replicator.failedDocuments.map(\.documentID) == ["d3"])
        #expect(replicator.failedDocuments.first?.error?.code == .callback)
        for number in 0..<8 {
            let leaves = try bed.a["d\(number)"].conflictingRevisions()
            #expect(leaves.count == (number == 3 ? 2 : 1))
            if number != 3 { #expect(leaves.first?["side"] == "both") }
        }
        // Offered once in a run, though it failed before.
        try await replicator.run()
        #expect(offered.withLock { $0 } == 9)
        configuration.conflictResolver = .mine
        try await bed.replicator(configuration).run()
        #expect(try bed.a["d3"].conflictingRevisions().count == 1)
        try bed.close()
    }

    @Test("many earlier conflicts come page by page", arguments: ReplicationBed.types)
    func manyEarlier(_ type: StorageType) async throws {
        let bed = try ReplicationBed(type, .memory)
        for (database, side) in [(bed.a, "a"), (bed.b, "b")] {
            try database.inTransaction {
                for number in 0..<700 { _ = try database["d\(number)"].put(["side": .string(side)]) }
            }
        }
        try await bed.run(.pull)
        var configuration = bed.configuration(.pull)
        configuration.conflictResolver = .moreChanges
        configuration.resolvesEarlierConflicts = true
        try await bed.replicator(configuration).run()
        for number in 0..<700 { #expect(try bed.a["d\(number)"].conflictingRevisions().count == 1) }
        try bed.close()
    }

    @Test("two peers that both resolve come to an end, and no document is lost")
    func both() async throws {
        for (first, second) in [(ConflictResolver.mine, ConflictResolver.mine), (.theirs, .theirs), (.mine, .theirs)] {
            let bed = try await bed()
            var left = ReplicatorConfiguration(database: bed.a, target: .database(bed.b))
            var right = ReplicatorConfiguration(database: bed.b, target: .database(bed.a))
            left.conflictResolver = first
            right.conflictResolver = second
            left.isContinuous = true
            right.isContinuous = true
            left.direction = .pull
            right.direction = .pull
            let replicators = [Replicator(left), Replicator(right)]
            for replicator in replicators { replicator.start() }
            try await eventually {
                guard replicators.allSatisfy({ $0.status.activity == .idle }) else { return false }
                return try (0..<8).allSatisfy { number in
                    let leaves = try bed.a["d\(number)"].leafRevisions().map(\.id)
                    return try leaves == bed.b["d\(number)"].leafRevisions().map(\.id)
                        && bed.a["d\(number)"].conflictingRevisions().count == 1
                }
            }
            for replicator in replicators { await replicator.stop() }
            try expectEqual(bed.a, bed.b)
            try bed.close()
        }
    }
}
