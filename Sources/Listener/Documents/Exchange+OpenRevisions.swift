internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeEngine
internal import StorageProtocol

extension Exchange {
    /// `open_revs`: many revisions of one document. As multipart/mixed unless the client asks for JSON, since CouchDB's
    /// replicator and programs without an Accept header expect that; then always with the contents of attachments.
    func openRevisions(
        _ revisions: OpenRevisions,
        _ wanted: DocumentOptions,
        of id: DocumentID,
        in served: ServedDatabase
    ) async throws -> Answer {
        let selection: RevisionRequest.Selection =
            switch revisions {
            case .all: .leaves
            case .list(let ids): .revisions(ids)
            }
        let accepted = acceptedTypes
        let isMixed = accepted.prefersMultipart("mixed") ?? accepted.take("multipart/mixed")
        var attachments = attachmentMembers(wanted, in: served)
        if isMixed { attachments.contents = .following(after: 0) }
        let known = wanted.attachmentsSince
        let reader = RevisionReader(database: served.database, wanted: wanted, attachments: attachments, known: known)
        let request = RevisionRequest(documentID: id, selection: selection, latest: wanted.isLatest)
        let first = try await blocking { try reader.batch(request) }
        guard !first.isEmpty else { throw CouchError.missing }
        // The others fail when their turn comes, and end the answer.
        if case .failed(_, let error) = first.parts.first { throw error }
        return isMixed ? mixed(first, of: id, reader) : list(first, of: id, reader)
    }

    private func mixed(_ first: RevisionBatch, of id: DocumentID, _ reader: RevisionReader) -> Answer {
        var generator = SystemRandomNumberGenerator()
        let boundary = MultipartBoundary(using: &generator)
        let body = Answer.Body.stream(length: nil) { [core] sink in
            var message = MixedMessage(boundary: boundary, to: sink, on: core.threads)
            try await reader.forEach(of: id, from: first, on: core.threads) { part in
                switch part {
                case .found(let revision): try await message.write(revision)
                case .missing(let revision):
                    var text = JSONAnswerText()
                    text.missing(revision)
                    try await message.write(failure: text.bytes)
                case .failed(_, let error): throw error
                }
            }
            try await message.end()
        }
        return Answer(status: .ok, headers: [.contentType: boundary.contentType("mixed")], body: body)
    }

    private func list(_ first: RevisionBatch, of id: DocumentID, _ reader: RevisionReader) -> Answer {
        let body = Answer.Body.stream(length: nil) { [core] sink in
            var text = JSONAnswerText()
            text.raw("[")
            try await reader.forEach(of: id, from: first, on: core.threads) { part in
                if text.count != 1 { text.raw(",") }
                switch part {
                case .found(let revision):
                    text.raw(#"{"ok":"#)
                    text.raw(revision.json)
                    text.raw("}")
                case .missing(let revision): text.missing(revision)
                case .failed(_, let error): throw error
                }
                try await sink.write(text.take())
            }
            text.raw("]\n")
            try await sink.write(text.take())
        }
        return Answer(status: .ok, headers: [.contentType: "application/json"], body: body)
    }
}

extension JSONAnswerText {
    fileprivate mutating func missing(_ revision: RevisionID) {
        raw(#"{"missing":"#)
        string(revision.string)
        raw("}")
    }
}
