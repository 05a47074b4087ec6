internal import Foundation
internal import NIOHTTP1
internal import SetteeCouchProtocol

extension RemotePeer {
    func content(_ wish: AttachmentWish, from offset: UInt64) async throws -> any ContentPieces {
        do {
            return try await addressedContent(wish, from: offset)
        } catch let error as PeerError where error.status == 414 {
            return try await enclosedContent(wish)
        }
    }

    /// The content by its own URL.
    private func addressedContent(
        _ wish: AttachmentWish,
        from offset: UInt64
    ) async throws -> any ContentPieces {
        var request = RemoteRequest(
            .GET,
            "\(RemoteRequest.path(of: wish.documentID))/\(PercentCoding.encode(wish.name))",
            [("rev", wish.revision)]
        )
        request.keepsEncoding = true
        request.headers = [("Accept-Encoding", wish.encoding ?? "identity")]
        if offset > 0 { request.headers.append(("Range", "bytes=\(offset)-")) }
        let response = try await client.answer(request, or: [416])
        if response.status == 416 {
            response.body.close()
            guard offset > 0 else { throw PeerError.badAnswer("no content where there is one") }
            guard offset == wish.length else { return try await addressedContent(wish, from: 0) }
            return RemoteContent(peer: self, body: nil, from: offset, isEncoded: true)
        }
        return try remoteContent(response, wish)
    }

    private func remoteContent(_ response: RemoteResponse, _ wish: AttachmentWish) throws(PeerError) -> RemoteContent {
        var offset: UInt64 = 0
        if response.status == 206 {
            guard let start = RemotePeer.start(of: response.headers.first(name: "content-range") ?? "") else {
                throw .badAnswer("a part without its place")
            }
            offset = start
        }
        let coding: ContentCoding
        do throws(CouchError) {
            coding = try ContentCoding(header: response.headers.first(name: "content-encoding"))
        } catch {
            throw .badAnswer("encoded in a way that was not asked for")
        }
        // A proxy may compress what is not, although it was not asked to.
        if wish.encoding == nil, coding != .identity { throw .badAnswer("encoded in a way that was not asked for") }
        let isEncoded = coding == (wish.encoding == nil ? .identity : .gzip)
        return RemoteContent(peer: self, body: response.body, from: offset, isEncoded: isEncoded)
    }

    /// The first byte that a Content-Range names: `bytes 100-199/200`.
    private static func start(of header: String) -> UInt64? {
        guard header.lowercased().hasPrefix("bytes ") else { return nil }
        return UInt64(header.dropFirst(6).prefix { $0 != "-" }.filter { $0 != " " })
    }

    /// The content of an attachment in base64, inflated if it is stored compressed.
    func base64(of attachment: OutgoingAttachment, from source: any Peer) async throws -> String {
        let content = try await source.wholeContent(attachment.wish)
        var bytes: [UInt8] = []
        while let piece = try await content.next() {
            guard UInt64(bytes.count + piece.count) <= attachment.wish.length else { break }
            bytes += piece
        }
        await content.close()
        if attachment.wish.encoding != nil, content.isEncoded {
            bytes = try RemotePeer.inflated(bytes, length: attachment.length)
        }
        return Data(bytes).base64EncodedString()
    }

    private static func inflated(_ bytes: [UInt8], length: UInt64) throws(PeerError) -> [UInt8] {
        var all: [UInt8] = []
        do throws(CouchError) {
            let inflater = try GzipInflater(.gzip, limits: InflationLimits(bytes: length))
            try unsafe inflater.push(bytes.span.bytes) { (some) throws(CouchError) in
                unsafe some.withUnsafeBytes { unsafe all.append(contentsOf: $0) }
            }
            try inflater.finish()
        } catch {
            throw PeerError(.missingAttachment, status: 412, "The content of an attachment is damaged.")
        }
        return all
    }
}

/// The content of an attachment as it comes from a server.
final class RemoteContent: ContentPieces {
    /// Its connections stay while the content is read.
    private let peer: RemotePeer
    private let body: RemoteBody?
    let offset: UInt64
    let isEncoded: Bool

    init(peer: RemotePeer, body: RemoteBody?, from offset: UInt64, isEncoded: Bool) {
        self.peer = peer
        self.body = body
        self.offset = offset
        self.isEncoded = isEncoded
    }

    func next() async throws -> [UInt8]? { try await body?.next() }

    func next(to bytes: inout [UInt8]) async throws -> Bool { try await body?.next(to: &bytes) ?? false }

    func close() async { body?.close() }
}
