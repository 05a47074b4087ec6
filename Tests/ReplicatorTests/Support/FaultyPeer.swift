internal import SetteeDocumentValues
internal import StorageProtocol

@testable internal import SetteeReplicator

/// A peer that fails where a test says so, and counts.
final class FaultyPeer: ForwardingPeer {
    enum Call: String, Sendable, Hashable {
        case information, checkpoint, save, changes, missing, revisions, content, insert, commit
    }

    /// Called before each call, with how many there were; throws what is to go wrong.
    typealias Fault = @Sendable (Call, Int) throws -> Void

    let base: any Peer
    private let fault: Fault
    private let state = Locked(State())

    private struct State {
        var count = 0
        var calls: [Call: Int] = [:]
        var since: [JSONValue?] = []
        var offered = 0
        var saved: [JSONValue] = []
    }

    init(_ base: any Peer, _ fault: @escaping Fault = { _, _ in }) {
        self.base = base
        self.fault = fault
    }

    /// How many calls there were.
    var count: Int { state.withLock { $0.count } }
    func count(_ call: Call) -> Int { state.withLock { $0.calls[call] ?? 0 } }
    /// Where feeds began.
    var since: [JSONValue?] { state.withLock { $0.since } }
    /// How many documents were asked about.
    var offered: Int { state.withLock { $0.offered } }
    /// The sequences of the checkpoints that were written.
    var saved: [JSONValue] { state.withLock { $0.saved } }

    private func pass(_ call: Call) throws {
        let count = state.withLock { state in
            state.count += 1
            state.calls[call, default: 0] += 1
            return state.count
        }
        try fault(call, count)
    }

    func information() async throws -> PeerInformation {
        try pass(.information)
        return try await base.information()
    }

    func checkpoint(_ id: String) async throws -> PeerCheckpoint? {
        try pass(.checkpoint)
        return try await base.checkpoint(id)
    }

    func save(_ checkpoint: JSONObject, as id: String, replacing revision: String?) async throws -> String {
        try pass(.save)
        let saved = try await base.save(checkpoint, as: id, replacing: revision)
        state.withLock { $0.saved.append(checkpoint["source_last_seq"] ?? .null) }
        return saved
    }

    func changes(_ query: ChangesQuery) async throws -> ChangesPage {
        try pass(.changes)
        state.withLock { $0.since.append(query.since) }
        return try await base.changes(query)
    }

    func missing(_ documents: [OfferedDocument]) async throws -> [LackedRevisions?] {
        try pass(.missing)
        state.withLock { $0.offered += documents.count }
        return try await base.missing(documents)
    }

    func revisions(
        _ wishes: [RevisionWish],
        _ body: (_ place: Int, RevisionAnswer) async throws -> Void
    ) async throws {
        try pass(.revisions)
        try await base.revisions(wishes, body)
    }

    func content(_ wish: AttachmentWish, from offset: UInt64) async throws -> any ContentPieces {
        try pass(.content)
        return try await base.content(wish, from: offset)
    }

    func insert(_ revisions: [TransferredRevision], from source: any Peer) async throws -> [InsertOutcome] {
        try pass(.insert)
        return try await base.insert(revisions, from: source)
    }

    func commit() async throws {
        try pass(.commit)
        try await base.commit()
    }
}

extension PeerError {
    static let cut = PeerError(.transient, "The connection was cut.")
}
