internal import Foundation
internal import Settee
internal import SetteeListener
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

/// Contents that the other side has, but in another document.
@Suite("Contents of other documents")
struct ForeignContentTests {
    private static let content = Array("the secret content".utf8)

    /// A peer that notes which contents are asked for, and can refuse to give them.
    private final class CountingPeer: ForwardingPeer {
        let base: any Peer
        let asked = Locked<[String]>([])
        private let refuses: Bool

        init(_ base: any Peer, refuses: Bool = false) {
            self.base = base
            self.refuses = refuses
        }

        func content(_ wish: AttachmentWish, from offset: UInt64) async throws -> any ContentPieces {
            asked.withLock { $0.append(wish.documentID) }
            guard !refuses else { throw PeerError(.notFound, status: 404, "No such content.") }
            return try await base.content(wish, from: offset)
        }
    }

    @Test("a pull asks once a document for what only others have here", arguments: ReplicationBed.types)
    func pull(_ type: StorageType) async throws {
        let bed = try ReplicationBed(type)
        try bed.a["mine"].setAttachment(named: "x", contentType: nil, content: Self.content)
        for id in ["d", "e"] { try bed.b[id].setAttachment(named: "x", contentType: nil, content: Self.content) }
        let peer = CountingPeer(LocalPeer(bed.b))
        try await bed.replicator(bed.configuration(.pull), to: peer).run()
        #expect(peer.asked.withLock { $0 }.sorted() == ["d", "e"])
        #expect(try bed.a.attachmentSpace().contents == 1)
        // Later revisions that keep it need nothing, under another name neither.
        _ = try bed.b["d"].update { $0["n"] = 1 }
        _ = try bed.b["e"].update { $0["_attachments"] = ["y": $0["_attachments"]?["x"] ?? .null] }
        try await bed.replicator(bed.configuration(.pull), to: peer).run()
        #expect(peer.asked.withLock { $0.count } == 2)
        for id in ["d", "e"] { #expect(try contents(of: bed.a)[id] == contents(of: bed.b)[id]) }
        try bed.close()
    }

    @Test("a source that names a digest without having the content gets nothing of it", arguments: ReplicationBed.types)
    func claimed(_ type: StorageType) async throws {
        let bed = try ReplicationBed(type)
        try bed.a["mine"].setAttachment(named: "x", contentType: nil, content: Self.content)
        try bed.b["d"].setAttachment(named: "x", contentType: nil, content: Self.content)
        let peer = CountingPeer(LocalPeer(bed.b), refuses: true)
        let replicator = bed.replicator(bed.configuration(.pull), to: peer)
        try? await replicator.run()
        #expect(replicator.failedDocuments.map(\.documentID) == ["d"])
        #expect(try bed.a["d"].exists == false)
        try bed.close()
    }

    /// Small contents go in `_bulk_docs`, others in multipart/related.
    @Test("a push sends the content where the other side has it in another document", arguments: [18, 100_000])
    func push(_ length: Int) async throws {
        let bed = try ReplicationBed(.sqlite, .sqlite)
        let content = [UInt8](repeating: 7, count: length)
        try bed.b["theirs"].setAttachment(named: "x", contentType: nil, content: content)
        let first = try bed.a["d"].setAttachment(named: "x", contentType: nil, content: content)
        let listener = try Listener(manager: bed.second.manager, configuration: ListenerConfiguration(port: 0))
        try await listener.start()
        let url = try #require(listener.url)
        var configuration = ReplicatorConfiguration(database: bed.a, target: .url("\(url)test"))
        configuration.direction = .push
        let replicator = Replicator(configuration)
        try await replicator.run()
        #expect(try bed.b["d"].read().attachment(named: "x")?.content() == content)
        // The revision that a stub refers to keeps its ID there, and not its content.
        let gone = try bed.b["d"].put(["n": 2], parent: first.id)
        try bed.b["d"].delete(parent: gone.id)
        try bed.b.compact()
        _ = try bed.a["d"].update { $0["n"] = 1 }
        try await replicator.run()
        #expect(replicator.failedDocuments.map(\.documentID) == [])
        #expect(try bed.b["d"].read().attachment(named: "x")?.content() == content)
        await listener.stop()
        try bed.close()
    }
}
