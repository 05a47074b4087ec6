internal import NIOCore

/// A document with its attachments on its way to a server, as multipart/related.
struct RelatedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    /// What is sent, in its order.
    enum Piece: Sendable {
        case bytes([UInt8])
        case content(AttachmentWish)
    }

    let pieces: [Piece]
    let source: any Peer

    func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces[...], source: source) }

    struct Iterator: AsyncIteratorProtocol {
        var pieces: ArraySlice<Piece>
        let source: any Peer
        private var open: (any ContentPieces)?
        /// How much of the open content is still to come.
        private var rest: UInt64 = 0

        init(pieces: ArraySlice<Piece>, source: any Peer) {
            self.pieces = pieces
            self.source = source
        }

        mutating func next() async throws -> ByteBuffer? {
            while true {
                if let content = open {
                    if let bytes = try await content.next() {
                        guard UInt64(bytes.count) <= rest else { throw RelatedBody.changed }
                        rest -= UInt64(bytes.count)
                        return ByteBuffer(bytes: bytes)
                    }
                    guard rest == 0 else { throw RelatedBody.changed }
                    open = nil
                }
                switch pieces.popFirst() {
                case nil: return nil
                case .bytes(let bytes): return ByteBuffer(bytes: bytes)
                case .content(let wish):
                    let content = try await source.wholeContent(wish)
                    guard content.offset == 0, content.isEncoded else {
                        throw RelatedBody.changed
                    }
                    open = content
                    rest = wish.length
                }
            }
        }
    }

    private static var changed: PeerError {
        PeerError(.missingAttachment, status: 412, "The content of an attachment is not as long as its entry says.")
    }
}

extension Peer {
    /// Opens a content that goes to another side. One that is not there concerns its document only.
    func wholeContent(_ wish: AttachmentWish) async throws -> any ContentPieces {
        do {
            return try await content(wish, from: 0)
        } catch let error as PeerError where error.kind == .notFound && error.status != 503 {
            throw PeerError(.missingAttachment, status: 412, error.message)
        }
    }
}
