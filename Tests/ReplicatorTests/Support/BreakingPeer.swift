internal import SetteeDocumentValues
internal import StorageProtocol

@testable internal import SetteeReplicator

/// Breaks off each content after one piece, and counts the bytes that it has given.
final class BreakingPeer: Peer {
    let base: any Peer
    let bytes = Locked<Int>(0)
    let opened = Locked<Int>(0)

    init(_ base: any Peer) { self.base = base }

    var name: String { base.name }
    func information() async throws -> PeerInformation { try await base.information() }
    func checkpoint(_ id: String) async throws -> PeerCheckpoint? { try await base.checkpoint(id) }
    func changes(_ query: ChangesQuery) async throws -> ChangesPage { try await base.changes(query) }
    func commit() async throws { try await base.commit() }

    func save(_ checkpoint: JSONObject, as id: String, replacing revision: String?) async throws -> String {
        try await base.save(checkpoint, as: id, replacing: revision)
    }

    func missing(_ documents: [OfferedDocument]) async throws -> [LackedRevisions?] {
        try await base.missing(documents)
    }

    func revisions(
        _ wishes: [RevisionWish],
        _ body: (_ place: Int, RevisionAnswer) async throws -> Void
    ) async throws {
        try await base.revisions(wishes, body)
    }

    func insert(_ revisions: [TransferredRevision], from source: any Peer) async throws -> [InsertOutcome] {
        try await base.insert(revisions, from: source)
    }

    func content(_ wish: AttachmentWish, from offset: UInt64) async throws -> any ContentPieces {
        opened.withLock { $0 += 1 }
        return BreakingPieces(try await base.content(wish, from: offset), self)
    }

    private final class BreakingPieces: ContentPieces {
        private let base: any ContentPieces
        private let peer: BreakingPeer
        private let given = Locked<Int>(0)

        init(_ base: any ContentPieces, _ peer: BreakingPeer) {
            self.base = base
            self.peer = peer
        }

        var offset: UInt64 { base.offset }
        var isEncoded: Bool { base.isEncoded }

        func next() async throws -> [UInt8]? {
            if given.withLock({ $0 }) > 0 { throw PeerError.cut }
            let piece = try await base.next()
            given.withLock { $0 += 1 }
            peer.bytes.withLock { $0 += piece?.count ?? 0 }
            return piece
        }

        func close() async { await base.close() }
    }
}
