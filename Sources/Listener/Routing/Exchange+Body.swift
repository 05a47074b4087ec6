internal import HTTPTypes
internal import NIOCore
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import StorageProtocol

extension Exchange {
    /// Reads the body as a whole, inflated if it is encoded.
    ///
    /// - Parameter limit: The highest number of bytes.
    /// - Throws: `too_large` (413) beyond the limit, before they are read, and for want of memory, which is
    ///   `service_unavailable` (503) if others have it; `bad_content_type` (415) for an encoding that is not known; 400
    ///   for damaged ones.
    func collectBody(upTo limit: Int) async throws -> [UInt8] {
        var pieces = try BodyPieces(of: request.head, body, upTo: limit)
        var bytes: [UInt8] = []
        while let piece = try await pieces.next() {
            // While an array grows there are two.
            try memory.take(2 * piece.count)
            bytes += piece
        }
        return bytes
    }

    /// The next bytes of the body, 64 KiB or more but at its end, where nil follows.
    func nextBlock() async throws -> [UInt8]? {
        guard var block = try await body.next() else { return nil }
        while block.readableBytes < 65_536, let piece = try await body.next() { block.writeImmutableBuffer(piece) }
        return Array(block.readableBytesView)
    }

    /// Reads a body that must be a JSON object.
    func jsonObject(upTo limit: Int? = nil) async throws -> JSONObject {
        try ContentTypes.requireJSON(request.head.headerFields)
        let bytes = try await collectBody(upTo: limit ?? core.options.documentBytes)
        try memory.takeValues(of: bytes)
        let value: JSONValue
        do throws(StorageError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            guard error.code == .badJSON else { throw CouchError.invalidJSON }
            // Behind CouchDB's reason, where it is.
            throw CouchError.badRequest("\(CouchError.invalidJSON.reason). \(error.message)")
        }
        guard let object = value.objectValue else { throw CouchError.badRequest("Request body must be a JSON object") }
        return object
    }
}
