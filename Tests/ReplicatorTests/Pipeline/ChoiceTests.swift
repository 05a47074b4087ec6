internal import Settee
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

@Suite("What is replicated: filters, IDs, selectors, pending documents")
struct ChoiceTests {
    private func bed() throws -> ReplicationBed {
        let bed = try ReplicationBed()
        for database in [bed.a, bed.b] {
            let side = database === bed.a ? "a" : "b"
            for number in 0..<10 {
                _ = try database["\(side)\(number)"].put(["owner": number < 4 ? "Ida" : "Waldo", "n": number])
            }
        }
        return bed
    }

    @Test("a push filter by name gets its parameters, and another version begins anew")
    func named() async throws {
        let bed = try bed()
        bed.a.setFilter("byOwner", version: "1") { revision, parameters in
            try revision.properties["owner"] == parameters["name"]
        }
        var configuration = bed.configuration(.push)
        configuration.push.filter = .named("byOwner", ["name": "Ida"])
        let replicator = bed.replicator(configuration)
        #expect(try await replicator.pendingDocumentIDs() == ["a0", "a1", "a2", "a3"])
        try await replicator.run()
        #expect(try contents(of: bed.b).keys.filter { $0.hasPrefix("a") }.sorted() == ["a0", "a1", "a2", "a3"])
        #expect(try await replicator.pendingDocumentIDs() == [])
        bed.a.setFilter("byOwner", version: "2") { _, _ in true }
        try await replicator.run()
        #expect(try contents(of: bed.b).count == 20)
        configuration.push.filter = .named("nobody")
        await #expect(throws: ReplicationError.self) { try await bed.replicator(configuration).run() }
        try bed.close()
    }

    /// Counts how often it is asked for the version of its filter.
    private final class VersionedPeer: ForwardingPeer, FilteringPeer {
        let base: any Peer
        let asked = Locked(0)

        init(_ base: any Peer) { self.base = base }

        func filterVersion(_ name: String) async throws -> String? {
            asked.withLock { $0 += 1 }
            return "1"
        }
    }

    @Test("a run asks the other side once which version its filter has")
    func filterVersion() async throws {
        let bed = try bed()
        bed.b.setFilter("all", version: "1") { _, _ in true }
        var configuration = bed.configuration(.pushAndPull)
        configuration.pull.remoteFilter = RemoteFilter("all")
        let peer = VersionedPeer(LocalPeer(bed.b))
        try await bed.replicator(configuration, to: peer).run()
        #expect(peer.asked.withLock { $0 } == 1)
        try expectEqual(bed.a, bed.b)
        try bed.close()
    }

    @Test("of IDs that Unicode takes for the same, the chosen one is passed on")
    func canonicalEquality() async throws {
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        for direction in [ReplicationDirection.push, .pull] {
            let bed = try ReplicationBed()
            let (source, target) = direction == .push ? (bed.a, bed.b) : (bed.b, bed.a)
            for id in [composed, decomposed] { _ = try source[DocumentID(id)].put([:]) }
            if direction == .push {
                #expect(try await bed.replicator(bed.configuration(.push)).pendingDocumentIDs().count == 2)
            }
            var configuration = bed.configuration(direction)
            configuration.documentIDs = [decomposed]
            try await bed.replicator(configuration).run()
            #expect(try target[DocumentID(decomposed)].exists)
            #expect(try !target[DocumentID(composed)].exists)
            try bed.close()
        }
    }

    @Test("a pull filter decides about what has come, a remote one at the other side")
    func pullFilters() async throws {
        let bed = try bed()
        var configuration = bed.configuration(.pull)
        configuration.pull.filter = { $0.properties["owner"] == "Ida" }
        try await bed.replicator(configuration).run()
        #expect(try contents(of: bed.a).keys.filter { $0.hasPrefix("b") }.sorted() == ["b0", "b1", "b2", "b3"])
        bed.b.setFilter("even", version: "1") { revision, _ in
            try (revision.properties["n"]?.intValue ?? 1).isMultiple(of: 2)
        }
        configuration.pull.filter = nil
        configuration.pull.remoteFilter = RemoteFilter("even")
        let peer = FaultyPeer(LocalPeer(bed.b))
        try await bed.replicator(configuration, to: peer).run()
        #expect(try bed.a["b8"].exists && !bed.a["b9"].exists)
        try bed.close()
    }

    @Test("a push filter that throws costs the document, which it judges once more when that is wanted")
    func throwingFilter() async throws {
        let bed = try bed()
        let fails = Locked(true)
        var configuration = bed.configuration(.push)
        configuration.push.filter = .function { revision, _ in
            if revision.documentID == "a3", fails.withLock({ $0 }) { throw ApplicationError() }
            return revision.documentID != "a4"
        }
        let replicator = bed.replicator(configuration)
        try await replicator.run()
        #expect(replicator.failedDocuments.map(\.documentID) == ["a3"])
        #expect(try contents(of: bed.b).count == 18)
        fails.withLock { $0 = false }
        try await replicator.retryFailed()
        #expect(replicator.failedDocuments.isEmpty)
        #expect(try bed.b["a3"].exists && !bed.b["a4"].exists)
        try bed.close()
    }

    /// Is not there before it is made.
    private final class MissingPeer: ForwardingPeer, CreatablePeer {
        let base: any Peer
        let isThere = Locked(false)

        init(_ base: any Peer) { self.base = base }

        func information() async throws -> PeerInformation {
            guard isThere.withLock({ $0 }) else { throw PeerError(.notFound, status: 404, "There is none.") }
            return try await base.information()
        }

        func create() async throws { isThere.withLock { $0 = true } }
    }

    @Test("a push makes the other side if that is wanted, and a pull makes no source")
    func createsTarget() async throws {
        for direction in [ReplicationDirection.push, .pushAndPull, .pull] {
            let bed = try bed()
            var configuration = bed.configuration(direction)
            configuration.createsTarget = true
            let peer = MissingPeer(LocalPeer(bed.b))
            let replicator = bed.replicator(configuration, to: peer)
            if direction == .pull {
                let error = await #expect(throws: ReplicationError.self) { try await replicator.run() }
                #expect(error?.code == .notFound)
            } else {
                try await replicator.run()
            }
            #expect(peer.isThere.withLock { $0 } == (direction != .pull))
            try bed.close()
        }
    }

    @Test("two ways to choose are an error by name in each direction, before anything is made")
    func twoWays() async throws {
        let bed = try bed()
        let b = bed.b
        let ways: [(name: String, set: (inout ReplicatorConfiguration) -> Void, directions: [ReplicationDirection])] = [
            ("document IDs", { $0.documentIDs = ["a1"] }, [.push, .pull]),
            ("a selector", { $0.selector = ["n": 1] }, [.push, .pull]),
            ("a push filter", { $0.push.filter = .function { _, _ in true } }, [.push]),
            ("channels", { $0.pull.channels = ["c"] }, [.pull]),
            ("a filter of the other side", { $0.pull.remoteFilter = RemoteFilter("d/f") }, [.pull]),
        ]
        for (place, first) in ways.enumerated() {
            for second in ways[(place + 1)...] {
                for direction in first.directions where second.directions.contains(direction) {
                    var configuration = bed.configuration(direction)
                    first.set(&configuration)
                    second.set(&configuration)
                    configuration.createsTarget = true
                    let replicator = Replicator(configuration, limits: bed.limits) {
                        Issue.record("The other side was opened.")
                        return LocalPeer(b)
                    }
                    let error = await #expect(throws: ReplicationError.self) { try await replicator.run() }
                    #expect(error?.code == .badConfiguration)
                    #expect(error?.message.contains(first.name) == true && error?.message.contains(second.name) == true)
                    #expect(replicator.status.error?.code == .badConfiguration)
                    if direction == .push {
                        await #expect(throws: ReplicationError.self) { try await replicator.pendingDocumentIDs() }
                    }
                }
            }
        }
        #expect(try contents(of: bed.b).count == 10)
        // What judges that which has come goes with each.
        var configuration = bed.configuration(.pull)
        configuration.documentIDs = ["b1", "b2"]
        configuration.pull.filter = { $0.documentID != "b2" }
        try await bed.replicator(configuration).run()
        #expect(try contents(of: bed.a).keys.filter { $0.hasPrefix("b") } == ["b1"])
        try bed.close()
    }

    @Test("document IDs and selectors choose in both directions")
    func choices() async throws {
        let bed = try bed()
        var configuration = bed.configuration(.pushAndPull)
        configuration.documentIDs = ["a1", "b2", "c"]
        try await bed.replicator(configuration).run()
        #expect(try bed.b["a1"].exists && bed.a["b2"].exists)
        #expect(try contents(of: bed.a).count == 11)
        #expect(try contents(of: bed.b).count == 11)
        configuration.documentIDs = nil
        configuration.selector = ["n": ["$gte": 8]]
        try await bed.replicator(configuration).run()
        #expect(try bed.b["a8"].exists && bed.a["b9"].exists && !bed.b["a7"].exists)
        configuration.pull.remoteFilter = RemoteFilter("x")
        await #expect(throws: ReplicationError.self) { try await bed.replicator(configuration).run() }
        try bed.close()
    }

    @Test("what is not pushed yet is pending, without the other side")
    func pending() async throws {
        let bed = try bed()
        let replicator = bed.replicator(bed.configuration(.push))
        #expect(try await replicator.pendingDocumentIDs().count == 10)
        try await replicator.run()
        #expect(try await replicator.pendingDocumentIDs() == [])
        _ = try bed.a["a3"].update { $0["changed"] = true }
        try bed.a["a4"].delete()
        #expect(try await replicator.pendingDocumentIDs() == ["a3", "a4"])
        #expect(try await replicator.isDocumentPending("a3"))
        #expect(try await !replicator.isDocumentPending("a5"))
        await #expect(throws: ReplicationError.self) {
            try await bed.replicator(bed.configuration(.pull)).pendingDocumentIDs()
        }
        try bed.close()
    }
}
