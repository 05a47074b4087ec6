internal import Settee
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// A network's login page, or another page, in the place of the other side.
@Suite("Pages in the place of the other side")
struct PageTests {
    static let pages: [PeerError] = [
        .badAnswer("no JSON"), PeerError(status: 302, body: Array("<html>".utf8)),
        PeerError(status: 403, body: Array("<html>".utf8)), PeerError(status: 404, body: []),
        PeerError(status: 400, body: Array("Bad request".utf8)), PeerError(status: 413, body: Array("<html>".utf8)),
    ]

    @Test("it costs no document", arguments: [ReplicationDirection.push, .pull], pages)
    func costsNothing(_ direction: ReplicationDirection, _ page: PeerError) async throws {
        let bed = try ReplicationBed()
        bed.limits.fetchDocuments = 5
        bed.limits.writeRevisions = 5
        let source = direction == .push ? bed.a : bed.b
        try source.inTransaction { for number in 0..<60 { _ = try source["d\(number)"].put(["n": number]) } }
        let isPage = Locked(true)
        let peer = FaultyPeer(LocalPeer(bed.b)) { _, count in if count > 6, isPage.withLock({ $0 }) { throw page } }
        let replicator = bed.replicator(bed.configuration(direction), to: peer)
        let error = await #expect(throws: ReplicationError.self) { try await replicator.run() }
        #expect(error?.status == page.status)
        #expect(replicator.failedDocuments.isEmpty)
        isPage.withLock { $0 = false }
        try await replicator.run()
        #expect(replicator.failedDocuments.isEmpty)
        try expectEqual(bed.a, bed.b)
        try bed.close()
    }

    @Test("a continuous run waits until it is gone", arguments: pages)
    func continuous(_ page: PeerError) async throws {
        let bed = try ReplicationBed()
        let isPage = Locked(false)
        let peer = FaultyPeer(LocalPeer(bed.b)) { _, _ in if isPage.withLock({ $0 }) { throw page } }
        var configuration = bed.configuration(.pushAndPull)
        configuration.isContinuous = true
        let replicator = bed.replicator(configuration, to: peer)
        replicator.start()
        try await eventually { replicator.status.activity == .idle }
        isPage.withLock { $0 = true }
        _ = try bed.a["a"].put(["n": 1])
        try await eventually { replicator.status.activity == .offline }
        #expect(replicator.status.error?.status == page.status)
        isPage.withLock { $0 = false }
        try await eventually { try bed.b["a"].exists && replicator.status.activity == .idle }
        await replicator.stop()
        #expect(replicator.failedDocuments.isEmpty)
        try bed.close()
    }

    @Test("a continuous run that has never met the other side ends")
    func neverMet() async throws {
        let bed = try ReplicationBed()
        let peer = FaultyPeer(LocalPeer(bed.b)) { _, _ in throw PeerError.badAnswer("no JSON") }
        var configuration = bed.configuration(.push)
        configuration.isContinuous = true
        let replicator = bed.replicator(configuration, to: peer)
        await #expect(throws: ReplicationError.self) { try await replicator.run() }
        try bed.close()
    }
}
