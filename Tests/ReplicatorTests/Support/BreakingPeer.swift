internal import StorageProtocol

@testable internal import SetteeReplicator

/// Breaks off each content after one piece, and counts the bytes that it has given.
final class BreakingPeer: ForwardingPeer {
    let base: any Peer
    let bytes = Locked<Int>(0)
    let opened = Locked<Int>(0)

    init(_ base: any Peer) { self.base = base }

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
