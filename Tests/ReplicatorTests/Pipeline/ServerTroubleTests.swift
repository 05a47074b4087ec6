internal import Settee
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// What is the other side's trouble, and not that of documents.
@Suite("The other side in trouble")
struct ServerTroubleTests {
    static let troubles: [PeerError] = [
        PeerError(.transient, status: 500, "It fails."), PeerError(.transient, status: 503, "It fails."),
        .badAnswer("no JSON"),
    ]

    private func fill(_ database: Database, _ count: Int) throws {
        try database.inTransaction { for number in 0..<count { _ = try database["d\(number)"].put(["n": number]) } }
    }

    @Test("where nothing passes no document is at fault, and few requests show it", arguments: troubles)
    func nothingPasses(_ trouble: PeerError) async throws {
        let bed = try ReplicationBed()
        bed.limits.writes = 1
        try fill(bed.a, 400)
        let isThere = Locked(true)
        let peer = FaultyPeer(LocalPeer(bed.b)) { call, _ in
            if call == .insert, isThere.withLock({ $0 }) { throw trouble }
        }
        let replicator = bed.replicator(bed.configuration(.push), to: peer)
        let error = await #expect(throws: ReplicationError.self) { try await replicator.run() }
        #expect(error?.status == trouble.status)
        #expect(replicator.failedDocuments.isEmpty)
        #expect(peer.count(.insert) < 100)
        isThere.withLock { $0 = false }
        try await replicator.run()
        try expectEqual(bed.a, bed.b)
        try bed.close()
    }

    @Test("the first documents may be bad, all of them", arguments: troubles)
    func badBeginning(_ trouble: PeerError) async throws {
        let bed = try ReplicationBed()
        try fill(bed.a, 400)
        let bad = Set((0..<40).map { "d\($0)" })
        let peer = RefusingPeer(LocalPeer(bed.b), bad, trouble)
        let replicator = bed.replicator(bed.configuration(.push), to: peer)
        try await replicator.run()
        #expect(Set(replicator.failedDocuments.map(\.documentID)) == bad)
        #expect(try contents(of: bed.b).count == 360)
        try bed.close()
    }

    @Test("a disk that is full here is no fault of a document")
    func fullDisk() async throws {
        let bed = try ReplicationBed()
        try fill(bed.a, 40)
        let full = PeerError(StorageError(.full, "The disk is full."))
        #expect(full.message.contains("this computer"))
        let peer = RefusingPeer(LocalPeer(bed.b), ["d7"], full)
        let replicator = bed.replicator(bed.configuration(.push), to: peer)
        await #expect(throws: ReplicationError.self) { try await replicator.run() }
        #expect(replicator.failedDocuments.isEmpty)
        try bed.close()
    }

    @Test("a feed that has nothing and says that more follows ends")
    func emptyPages() async throws {
        let bed = try ReplicationBed()
        let peer = StuckPeer(LocalPeer(bed.b)) { query in
            ChangesPage(rows: [], lastSequence: query.since ?? 0, isAtEnd: false)
        }
        try await bed.replicator(bed.configuration(.pull), to: peer).run()
        #expect(peer.calls.withLock { $0 } < 5)
        try bed.close()
    }

    @Test("a feed that begins again and again is an error")
    func samePage() async throws {
        let bed = try ReplicationBed()
        try fill(bed.b, 10)
        let peer = StuckPeer(LocalPeer(bed.b)) { _ in
            let row = ChangedDocument(sequence: 3, id: "gone", leaves: [], isDeleted: false)
            return ChangesPage(rows: [row], lastSequence: 3, isAtEnd: false)
        }
        let replicator = bed.replicator(bed.configuration(.pull), to: peer)
        let error = await #expect(throws: ReplicationError.self) { try await replicator.run() }
        #expect(error?.code == .badAnswer)
        #expect(peer.calls.withLock { $0 } < 5)
        try bed.close()
    }

    @Test("a feed that does not wait is asked less and less often")
    func restless() async throws {
        let bed = try ReplicationBed()
        let last = Locked(0)
        let peer = StuckPeer(LocalPeer(bed.b)) { _ in
            let sequence = last.withLock { last in
                last += 1
                return last
            }
            return ChangesPage(rows: [], lastSequence: JSONValue(sequence), isAtEnd: true)
        }
        var configuration = bed.configuration(.pull)
        configuration.isContinuous = true
        let replicator = bed.replicator(configuration, to: peer)
        let began = ContinuousClock.now
        replicator.start()
        try await eventually { peer.calls.withLock { $0 } >= 6 }
        // 100, 200, 400 and 800 ms lie between the last five.
        #expect(ContinuousClock.now - began > .milliseconds(1_400))
        await replicator.stop()
        try bed.close()
    }
}

/// Fails each `insert` that some documents take part in.
private final class RefusingPeer: ForwardingPeer {
    let base: any Peer
    private let ids: Set<String>
    private let error: PeerError

    init(_ base: any Peer, _ ids: Set<String>, _ error: PeerError) {
        self.base = base
        self.ids = ids
        self.error = error
    }

    func insert(_ revisions: [TransferredRevision], from source: any Peer) async throws -> [InsertOutcome] {
        if revisions.contains(where: { ids.contains($0.documentID) }) { throw error }
        return try await base.insert(revisions, from: source)
    }
}

/// Has a feed of its own.
private final class StuckPeer: ForwardingPeer {
    let base: any Peer
    let calls = Locked(0)
    private let page: @Sendable (ChangesQuery) -> ChangesPage

    init(_ base: any Peer, _ page: @escaping @Sendable (ChangesQuery) -> ChangesPage) {
        self.base = base
        self.page = page
    }

    func changes(_ query: ChangesQuery) async throws -> ChangesPage {
        calls.withLock { $0 += 1 }
        return page(query)
    }
}
