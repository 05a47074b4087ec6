internal import StorageProtocol

@testable internal import SetteeReplicator

/// Fails each call of a kind that one document takes part in.
final class PoisonedPeer: ForwardingPeer {
    let base: any Peer
    let isPoisoned = Locked(true)
    private let id: String
    private let call: FaultyPeer.Call
    private let error: PeerError

    init(_ base: any Peer, _ id: String, at call: FaultyPeer.Call, _ error: PeerError) {
        self.base = base
        self.id = id
        self.call = call
        self.error = error
    }

    private func pass(_ call: FaultyPeer.Call, _ ids: [String]) throws {
        if call == self.call, ids.contains(id), isPoisoned.withLock({ $0 }) { throw error }
    }

    func missing(_ documents: [OfferedDocument]) async throws -> [LackedRevisions?] {
        try pass(.missing, documents.map(\.id))
        return try await base.missing(documents)
    }

    func revisions(
        _ wishes: [RevisionWish],
        _ body: (_ place: Int, RevisionAnswer) async throws -> Void
    ) async throws {
        try pass(.revisions, wishes.map(\.documentID))
        try await base.revisions(wishes, body)
    }

    func insert(_ revisions: [TransferredRevision], from source: any Peer) async throws -> [InsertOutcome] {
        try pass(.insert, revisions.map(\.documentID))
        return try await base.insert(revisions, from: source)
    }
}

/// Gives other contents than its documents say.
final class LyingPeer: ForwardingPeer {
    let base: any Peer
    private let lies: Locked<Int>
    private let decodedLength: Int?

    /// - Parameters:
    ///   - times: how often it lies.
    ///   - decodedLength: it says that it has decoded what it gives, which is as long; nil: it gives stored bytes.
    init(_ base: any Peer, times: Int = .max, decodedLength: Int? = nil) {
        self.base = base
        lies = Locked(times)
        self.decodedLength = decodedLength
    }

    func content(_ wish: AttachmentWish, from offset: UInt64) async throws -> any ContentPieces {
        let isTrue = lies.withLock { lies in
            lies -= 1
            return lies < 0
        }
        guard !isTrue else { return try await base.content(wish, from: offset) }
        let length = decodedLength ?? Int(wish.length) - Int(offset)
        return OtherPieces(length: length, offset: offset, isEncoded: decodedLength == nil)
    }

    private final class OtherPieces: ContentPieces {
        let offset: UInt64
        let isEncoded: Bool
        private let rest: Locked<Int>

        init(length: Int, offset: UInt64, isEncoded: Bool) {
            self.offset = offset
            self.isEncoded = isEncoded
            rest = Locked(length)
        }

        func next() async throws -> [UInt8]? {
            rest.withLock { rest in
                defer { rest = 0 }
                return rest == 0 ? nil : [UInt8](repeating: 9, count: rest)
            }
        }

        func close() async {}
    }
}
