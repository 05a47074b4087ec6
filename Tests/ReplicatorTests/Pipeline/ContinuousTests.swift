internal import Settee
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

@Suite("Continuous replication")
struct ContinuousTests {
    private func continuous(_ bed: ReplicationBed) -> ReplicatorConfiguration {
        var configuration = bed.configuration(.pushAndPull)
        configuration.isContinuous = true
        return configuration
    }

    @Test("changes of both sides are passed on as they come", arguments: ReplicationBed.types)
    func passesOn(_ type: StorageType) async throws {
        let bed = try ReplicationBed(type, .memory)
        let replicator = bed.replicator(continuous(bed))
        replicator.start()
        try await eventually { replicator.status.activity == .idle }
        for number in 0..<5 {
            _ = try bed.a["a\(number)"].put(["n": number])
            _ = try bed.b["b\(number)"].put(["n": number])
            try await eventually { try bed.b["a\(number)"].exists && bed.a["b\(number)"].exists }
        }
        try await eventually { replicator.status.activity == .idle }
        await replicator.stop()
        #expect(replicator.status.activity == .stopped)
        #expect(replicator.status.error == nil)
        try expectEqual(bed.a, bed.b)
        // It has left a checkpoint.
        let peer = FaultyPeer(LocalPeer(bed.b))
        try await bed.replicator(bed.configuration(.pull), to: peer).run()
        #expect(peer.since.first != .some(nil))
        try bed.close()
    }

    @Test("it goes on after failures that pass, and tells that it is offline")
    func offline() async throws {
        let bed = try ReplicationBed()
        _ = try bed.a["a"].put(["n": 1])
        let isCut = Locked(true)
        let peer = FaultyPeer(LocalPeer(bed.b)) { _, _ in
            if isCut.withLock({ $0 }) { throw PeerError.cut }
        }
        let replicator = bed.replicator(continuous(bed), to: peer)
        let seen = Locked<Set<ReplicatorStatus.Activity>>([])
        let listener = replicator.addStatusListener { status in seen.withLock { _ = $0.insert(status.activity) } }
        replicator.start()
        try await eventually { replicator.status.activity == .offline }
        #expect(replicator.status.error?.isTransient == true)
        isCut.withLock { $0 = false }
        try await eventually { try bed.b["a"].exists && replicator.status.activity == .idle }
        #expect(replicator.status.error == nil)
        isCut.withLock { $0 = true }
        _ = try bed.a["b"].put(["n": 1])
        try await eventually { replicator.status.activity == .offline }
        isCut.withLock { $0 = false }
        try await eventually { try bed.b["b"].exists }
        await replicator.stop()
        #expect(seen.withLock { $0 }.isSuperset(of: [.connecting, .offline, .busy, .idle, .stopped]))
        withExtendedLifetime(listener) {}
        try bed.close()
    }

    /// Each stage does several things at a time, and those that have nothing to do wait.
    @Test(
        "one of several tasks of a stage that fails ends the attempt",
        arguments: [FaultyPeer.Call.missing, .revisions, .insert]
    )
    func failsAlone(_ call: FaultyPeer.Call) async throws {
        let bed = try ReplicationBed()
        let isCut = Locked(true)
        let peer = FaultyPeer(LocalPeer(bed.b)) { made, _ in
            if made == call, isCut.withLock({ $0 }) { throw PeerError.cut }
        }
        var configuration = bed.configuration(call == .revisions ? .pull : .push)
        configuration.isContinuous = true
        let replicator = bed.replicator(configuration, to: peer)
        replicator.start()
        try await eventually { replicator.status.activity == .idle }
        _ = try (call == .revisions ? bed.b : bed.a)["a"].put(["n": 1])
        try await eventually { replicator.status.activity == .offline }
        isCut.withLock { $0 = false }
        try await eventually { try bed.a["a"].exists && bed.b["a"].exists }
        await replicator.stop()
        try bed.close()
    }

    @Test("states and documents come as sequences")
    func sequences() async throws {
        let bed = try ReplicationBed()
        for number in 0..<20 { _ = try bed.a["a\(number)"].put(["n": number]) }
        let replicator = bed.replicator(bed.configuration(.push))
        let (statuses, documents) = (replicator.statuses(), replicator.documentEvents())
        try await replicator.run()
        var ids: Set<String> = []
        for await event in documents {
            #expect(event.error == nil && event.direction == .push)
            ids.insert(event.documentID)
            if ids.count == 20 { break }
        }
        for await status in statuses where status.activity == .stopped && status.progress.total > 0 {
            #expect(status.progress == .init(completed: 20, total: 20))
            break
        }
        try bed.close()
    }

    @Test("a replicator that runs is not run twice")
    func twice() async throws {
        let bed = try ReplicationBed()
        let replicator = bed.replicator(continuous(bed))
        replicator.start()
        await #expect(throws: ReplicationError(.badConfiguration, "The replicator runs already.")) {
            try await replicator.run()
        }
        await replicator.stop()
        replicator.start()
        await replicator.stop()
        try bed.close()
    }

    @Test("it ends, though more is written all the time")
    func end() async throws {
        let bed = try ReplicationBed()
        bed.limits.feedRows = 5
        for number in 0..<50 { _ = try bed.a["a\(number)"].put(["n": number]) }
        let a = bed.a
        let peer = FaultyPeer(LocalPeer(bed.b)) { call, count in
            if call == .missing { for more in 0..<10 { _ = try a["more\(count)-\(more)"].put([:]) } }
        }
        try await bed.replicator(bed.configuration(.push), to: peer).run()
        #expect(try bed.b["a49"].exists)
        // Not far behind where the source was when its sequence at the beginning was reached.
        #expect(try contents(of: bed.b).count < 200)
        try bed.close()
    }

    @Test("what was there at the beginning is passed on, though it changes meanwhile", arguments: ReplicationBed.types)
    func moved(_ type: StorageType) async throws {
        let bed = try ReplicationBed(type)
        bed.limits.feedRows = 10
        bed.limits.firstFeedRows = 10
        for number in 0..<100 { _ = try bed.a["a\(number)"].put(["n": number]) }
        let a = bed.a
        let isFirst = Locked(true)
        let peer = FaultyPeer(LocalPeer(bed.b)) { call, _ in
            let isNow = isFirst.withLock { isFirst in
                defer { isFirst = call != .missing && isFirst }
                return isFirst && call == .missing
            }
            if isNow { for number in 50..<100 { _ = try a["a\(number)"].update { $0["n"] = 0 } } }
        }
        try await bed.replicator(bed.configuration(.push), to: peer).run()
        #expect(try contents(of: bed.b).count == 100)
        try bed.close()
    }
}
