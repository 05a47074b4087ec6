internal import NIOHTTP1
internal import SetteeCouchProtocol

extension RemotePeer {
    /// Reads an answer with revisions, whichever form it has, and hands them on one at a time.
    ///
    /// - Parameter id: The document that was asked for with `open_revs`; nil for `_bulk_get`.
    func read(
        _ response: RemoteResponse,
        of id: String?,
        _ open: inout OpenWishes,
        _ body: (_ place: Int, RevisionAnswer) async throws -> Void
    ) async throws {
        if response.contentType.hasPrefix("multipart/") {
            try await readParts(response, of: id, &open, body)
        } else {
            try await readRows(response, of: id, &open, body)
        }
    }

    private func readRows(
        _ response: RemoteResponse,
        of id: String?,
        _ open: inout OpenWishes,
        _ body: (_ place: Int, RevisionAnswer) async throws -> Void
    ) async throws {
        var rows = JSONRows(of: id == nil ? "results" : nil, limit: RevisionReader.limit)
        var answers = RevisionAnswers()
        while let bytes = try await response.body.next() {
            rows.append(bytes)
            while let row = try rows.next() {
                for answer in answers.read(row) { try await give(answer, of: id, &open, body) }
            }
        }
        _ = try rows.finish()
    }

    private func readParts(
        _ response: RemoteResponse,
        of id: String?,
        _ open: inout OpenWishes,
        _ body: (_ place: Int, RevisionAnswer) async throws -> Void
    ) async throws {
        var parts = DocumentParts()
        var answers = RevisionAnswers()
        var reader = try RemotePeer.reader(of: response)
        while let bytes = try await response.body.next() {
            try RemotePeer.push(bytes, &reader, &parts)
            for part in parts.taken() { try await give(answers.read(part), of: id, &open, body) }
        }
        guard reader.isAtEnd else { throw PeerError.badAnswer("cut short") }
    }

    private static func reader(of response: RemoteResponse) throws(PeerError) -> MultipartReader {
        do throws(CouchError) {
            let boundary = try MultipartBoundary(contentType: response.headers.first(name: "content-type") ?? "")
            return MultipartReader(boundary: boundary, limits: MultipartLimits(parts: .max))
        } catch {
            throw .badAnswer("a multipart message without its boundary")
        }
    }

    private static func push(
        _ bytes: [UInt8],
        _ reader: inout MultipartReader,
        _ parts: inout DocumentParts
    ) throws(PeerError) {
        do throws(CouchError) {
            try unsafe reader.push(bytes.span.bytes, to: &parts)
        } catch {
            throw .badAnswer("no multipart message")
        }
    }

    private func give(
        _ answer: AnsweredRevision,
        of id: String?,
        _ open: inout OpenWishes,
        _ body: (_ place: Int, RevisionAnswer) async throws -> Void
    ) async throws {
        switch answer {
        case .document(.revision(let revision)):
            guard let entry = open.take(id: revision.documentID, revision: revision.history[0]) else { return }
            try await body(entry.place, .found(revision))
        case .document(.removed(let id, let revision)):
            guard let entry = open.take(id: id, revision: revision) else { return }
            try await body(entry.place, .missing(revision: revision, nil))
        case .failed(let named, let revision, let error):
            guard let document = named ?? id else {
                open.unreadable = error
                return
            }
            let exact = revision.flatMap { open.take(id: document, revision: $0) }
            guard let entry = exact ?? open.takeFirst(id: document) else { return }
            try await body(entry.place, .missing(revision: entry.revision, error))
        case .unreadable(let error): open.unreadable = error
        }
    }
}
