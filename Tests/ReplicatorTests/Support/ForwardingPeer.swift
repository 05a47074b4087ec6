internal import SetteeDocumentValues

@testable internal import SetteeReplicator

/// A peer in front of another one. What it does not do itself, that one does.
protocol ForwardingPeer: Peer {
    var base: any Peer { get }
}

extension ForwardingPeer {
    var name: String { base.name }
    var breaks: Int { base.breaks }
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

    func content(_ wish: AttachmentWish, from offset: UInt64) async throws -> any ContentPieces {
        try await base.content(wish, from: offset)
    }

    func insert(_ revisions: [TransferredRevision], from source: any Peer) async throws -> [InsertOutcome] {
        try await base.insert(revisions, from: source)
    }
}
