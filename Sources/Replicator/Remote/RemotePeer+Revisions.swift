internal import NIOHTTP1
internal import SetteeDocumentValues
internal import StorageProtocol

extension RemotePeer {
    private static let bulkGetItems = 1_000

    func revisions(
        _ wishes: [RevisionWish],
        _ body: (_ place: Int, RevisionAnswer) async throws -> Void
    ) async throws {
        // A failure of the receiver is none of the server's, which would be asked again.
        func handOn(_ place: Int, _ answer: RevisionAnswer) async throws {
            do {
                try await body(place, answer)
            } catch {
                throw ReceiverFailure(cause: error)
            }
        }
        do {
            for start in stride(from: 0, to: wishes.count, by: RemotePeer.bulkGetItems) {
                var open = OpenWishes(wishes, start..<min(start + RemotePeer.bulkGetItems, wishes.count))
                while !open.isEmpty {
                    if dialect.withLock({ $0.hasBulkGet }) {
                        try await bulkGet(&open, handOn)
                    } else {
                        try await openRevisions(&open, handOn)
                    }
                }
            }
        } catch let failure as ReceiverFailure {
            throw failure.cause
        }
    }

    private struct ReceiverFailure: Error {
        let cause: any Error
    }

    /// Asks for all wishes that are open, again for what an answer that broke off did not have. Returns early, with
    /// wishes left open, if the server has no `_bulk_get`.
    private func bulkGet(
        _ open: inout OpenWishes,
        _ body: (_ place: Int, RevisionAnswer) async throws -> Void
    ) async throws {
        var pauses = client.pauses[...]
        while !open.isEmpty {
            do {
                let response = try await client.send(bulkGetRequest(open))
                if [400, 404, 405, 501].contains(response.status) {
                    _ = try await information()
                    return dialect.withLock { $0.hasBulkGet = false }
                }
                guard response.isSuccess else { throw await response.failure() }
                try await read(response, of: nil, &open, body)
                return try await answerRest(&open, body)
            } catch let error as PeerError {
                try await client.pause(after: error, about: open.documents, &pauses)
            }
        }
    }

    /// Without `atts_since`: CouchDB takes it for a wish for newer contents, which then come in base64.
    private func bulkGetRequest(_ open: OpenWishes) throws -> RemoteRequest {
        var request = RemoteRequest(.POST, "_bulk_get", RemotePeer.revisionOptions + [("attachments", "false")])
        request.headers = [("Accept", RemotePeer.acceptedTypes)]
        let items = open.entries.map { entry in
            JSONValue.object(JSONObject([("id", .string(entry.id)), ("rev", .string(entry.revision))]))
        }
        request.body = .json(try JSONObject([("docs", .array(items))]).canonicalBytes())
        return request
    }

    /// The digest of a content that is stored compressed is that of the stored bytes, so that they are asked for.
    static let revisionOptions = [("revs", "true"), ("att_encoding_info", "true")]

    /// JSON first: then attachments are not in the answer.
    static let acceptedTypes = "application/json, multipart/mixed;q=0.5, multipart/related;q=0.4"

    /// Says of the wishes that the whole answer does not mention that they cannot be had, if it had documents that
    /// could not be read.
    ///
    /// - Throws: `badAnswer` if not: a revision that the server does not have any more is in the answer, as missing.
    func answerRest(
        _ open: inout OpenWishes,
        _ body: (_ place: Int, RevisionAnswer) async throws -> Void
    ) async throws {
        guard open.isEmpty || open.unreadable != nil else { throw PeerError.badAnswer("without what was asked for") }
        while let entry = open.takeAny() {
            try await body(entry.place, .missing(revision: entry.revision, open.unreadable))
        }
    }
}
