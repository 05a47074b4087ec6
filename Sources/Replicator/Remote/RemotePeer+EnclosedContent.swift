internal import NIOHTTP1
internal import SetteeDocumentValues
internal import StorageProtocol

/// Contents whose own URL is longer than a server takes: it has the document's ID and the attachment's name.
extension RemotePeer {
    /// The longest answer that is read for such a content: the document with all its contents in base64.
    private static let enclosedBytes = RevisionReader.limit

    /// Reads a content out of its document, which is asked for in a body. It is in memory then, and decoded.
    ///
    /// - Throws: `badDocument` (414) if the document with its contents is too long, or the server cannot be asked so.
    func enclosedContent(_ wish: AttachmentWish) async throws -> any ContentPieces {
        guard dialect.withLock({ $0.hasBulkGet }) else { throw RemotePeer.longAddress }
        var request = RemoteRequest(.POST, "_bulk_get", [("attachments", "true")])
        request.headers = [("Accept", "application/json")]
        let item = JSONObject([("id", .string(wish.documentID)), ("rev", .string(wish.revision))])
        request.body = .json(try JSONObject([("docs", .array([.object(item)]))]).canonicalBytes())
        let response = try await client.answer(request)
        if let text = response.headers.first(name: "content-length"), Int(text) ?? 0 > RemotePeer.enclosedBytes {
            response.body.close()
            throw RemotePeer.longAddress
        }
        var answer: [UInt8] = []
        while let bytes = try await response.body.next() {
            guard bytes.count <= RemotePeer.enclosedBytes - answer.count else {
                response.body.close()
                throw RemotePeer.longAddress
            }
            answer += bytes
        }
        return EnclosedContent(try RemotePeer.content(of: wish, in: answer), isEncoded: wish.encoding == nil)
    }

    private static func content(of wish: AttachmentWish, in answer: [UInt8]) throws(PeerError) -> [UInt8] {
        var parser = JSONParser(limit: enclosedBytes)
        do {
            try unsafe parser.parse(answer.span.bytes)
        } catch {
            throw .badAnswer("no JSON")
        }
        let row = parser.root.flatMap { parser.first("results", of: $0) }.flatMap { parser.first("docs", of: $0) }
        guard let row else { throw .badAnswer("without what was asked for") }
        if let error = parser.member("error", of: row) {
            // The server does not make so long an answer, or has the revision no more.
            if parser.member("error", of: error).flatMap({ parser.string(of: $0) }) == "too_large" { throw longAddress }
            throw PeerError(.notFound, status: 404, "missing")
        }
        let entry = parser.member("ok", of: row).flatMap { parser.member("_attachments", of: $0) }
            .flatMap { parser.member(wish.name, of: $0) }
        guard let data = entry.flatMap({ parser.member("data", of: $0) }).flatMap({ parser.string(of: $0) }),
            let bytes = Base64.decode(data)
        else { throw PeerError(.notFound, status: 404, "missing") }
        return bytes
    }

    /// Why a document with such a content is refused.
    static let longAddress = PeerError(
        .badDocument,
        status: 414,
        "The document's ID or the name of an attachment is too long for a URL, and with its contents the document is "
            + "too long to be sent as JSON: more than 32 MiB with them in base64."
    )
}

extension JSONParser {
    /// The first element of a member that is an array.
    fileprivate func first(_ name: String, of node: JSONNode) -> JSONNode? {
        var first: JSONNode?
        if let array = member(name, of: node) { forEachElement(of: array) { if first == nil { first = $0 } } }
        return first
    }
}

/// A content that was read as a whole.
private final class EnclosedContent: ContentPieces {
    let offset: UInt64 = 0
    let isEncoded: Bool
    private let bytes: Locked<[UInt8]?>

    init(_ bytes: [UInt8], isEncoded: Bool) {
        self.isEncoded = isEncoded
        self.bytes = Locked(bytes)
    }

    func next() async throws -> [UInt8]? {
        let bytes = bytes.withLock { bytes in
            defer { bytes = nil }
            return bytes
        }
        return bytes.flatMap { $0.isEmpty ? nil : $0 }
    }

    func close() async {}
}
