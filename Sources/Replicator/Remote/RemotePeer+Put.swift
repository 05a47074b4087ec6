internal import NIOHTTP1
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import StorageProtocol

extension RemotePeer {
    /// Sends a document as multipart/related, with the contents that the server lacks.
    func put(
        _ document: OutgoingDocument,
        provesNothing: Bool,
        from source: any Peer
    ) async throws -> InsertOutcome {
        let request: RemoteRequest
        do throws(CouchError) {
            request = try putRequest(document, provesNothing: provesNothing, from: source)
        } catch {
            return .refused(PeerError(.badDocument, "The type of an attachment cannot stand in a header."))
        }
        do {
            _ = try await client.retrying(about: 1) {
                let response = try await self.client.send(request)
                guard response.isSuccess else { throw await response.failure() }
                try await RemotePeer.expectReceipt(response)
            }
            return .added
        } catch let error as PeerError {
            switch (error.kind, error.status) {
            case (.missingAttachment, _) where !provesNothing:
                return try await put(document, provesNothing: true, from: source)
            case (_, 415), (.readOnly, 405), (.badAnswer, 501):
                return try await putInline(document, provesNothing: provesNothing, from: source)
            case (_, 414): return .refused(RemotePeer.longAddress)
            case (.forbidden, _), (.conflict, _), (.badDocument, _), (.tooLarge, _), (.missingAttachment, _):
                try await expectServer(after: error)
                return .refused(error)
            default: throw error
            }
        }
    }

    /// `{"ok":true,"id":...,"rev":...}`. Something between may answer with a success of its own.
    private static func expectReceipt(_ response: RemoteResponse) async throws {
        let text = try await response.body.collect(upTo: 64 << 10)
        guard let members = (try? JSONValue(parsing: text))?.objectValue,
            members["ok"]?.boolValue == true || members["rev"]?.stringValue != nil
        else { throw PeerError.badAnswer("no word that the document was stored") }
    }

    private func putInline(
        _ document: OutgoingDocument,
        provesNothing: Bool,
        from source: any Peer
    ) async throws -> InsertOutcome {
        dialect.withLock { $0.takesMultipart = false }
        guard let text = try await text(of: document, provesNothing: provesNothing, from: source) else {
            return .refused(PeerError(.badDocument, status: 415, "The server takes no attachments."))
        }
        var outcomes: [InsertOutcome] = Array(repeating: .added, count: document.place + 1)
        try await send([BatchedDocument(document: document, text: text)], &outcomes, from: source)
        return outcomes[document.place]
    }

    private func putRequest(
        _ document: OutgoingDocument,
        provesNothing: Bool,
        from source: any Peer
    ) throws(CouchError) -> RemoteRequest {
        let lacking = document.lacking(provesNothing: provesNothing)
        let names = Set(lacking.map { Array($0.name.utf8) })
        var entries = JSONObject()
        for attachment in document.attachments {
            let follows = names.contains(Array(attachment.name.utf8))
            let entry = attachment.hasData ? attachment.entry : follows ? attachment.following : attachment.stub
            entries[attachment.name] = .object(entry)
        }
        guard let json = try? document.text(entries) else { throw .badRequest("no JSON") }
        var generator = SystemRandomNumberGenerator()
        let boundary = MultipartBoundary(using: &generator)
        var writer = MultipartWriter(boundary: boundary)
        var lengths = [(headers: MultipartHeaders.json, length: UInt64(json.count))]
        var pieces: [RelatedBody.Piece] = [.bytes(writer.head(.json) + json)]
        // CouchDB expects the parts in the order of the entries; `lacking` has the same order.
        for attachment in lacking {
            let coding: ContentCoding = attachment.wish.encoding == nil ? .identity : .gzip
            let headers = try MultipartHeaders.attachment(
                attachment.name,
                contentType: attachment.contentType,
                length: attachment.wish.length,
                coding: coding
            )
            lengths.append((headers, attachment.wish.length))
            pieces.append(.bytes(writer.head(headers)))
            pieces.append(.content(attachment.wish))
        }
        pieces.append(.bytes(writer.end()))
        guard let length = MultipartWriter.length(boundary: boundary, parts: lengths) else { throw .tooLarge }
        var request = RemoteRequest(.PUT, RemoteRequest.path(of: document.revision.documentID))
        request.query = [("new_edits", "false")]
        request.body = .pieces(contentType: boundary.contentType("related"), length: length) { [pieces] in
            RelatedBody(pieces: pieces, source: source)
        }
        return request
    }
}
