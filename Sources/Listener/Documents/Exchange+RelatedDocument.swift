internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeEngine
internal import StorageProtocol

extension Exchange {
    /// A document with the contents of its attachments as multipart/related; as JSON if there are none to send.
    func relatedDocument(
        _ id: DocumentID,
        _ wanted: DocumentOptions,
        _ attachments: AttachmentMembers,
        in served: ServedDatabase
    ) async throws -> Answer {
        var attachments = attachments
        attachments.contents = .following(after: 0)
        let known = wanted.attachmentsSince
        let reader = RevisionReader(database: served.database, wanted: wanted, attachments: attachments, known: known)
        let revision = try await blocking {
            var revision = RevisionContent(json: [])
            try Exchange.withRevision(id, wanted, in: served.database) { found, json in
                var openCount = 0
                revision = try reader.content(found, json, openCount: &openCount)
            }
            return revision
        }
        guard !revision.attachments.isEmpty else { return .json(.ok, revision.json + [UInt8(ascii: "\n")]) }
        let message = RelatedMessage(revision)
        let body = Answer.Body.stream(length: message.length) { [core] sink in
            try await message.write(to: sink, on: core.threads)
        }
        let headers: HTTPFields = [.contentType: message.contentType, .cacheControl: "must-revalidate"]
        return Answer(status: .ok, headers: headers, body: body)
    }
}
