internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

extension Exchange {
    /// `_bulk_get` for clients that do not take JSON, as Sync Gateway's: the parts of `open_revs` for one document
    /// after the other, each document from one state. The contents of attachments always follow, as in CouchDB.
    ///
    /// - Parameter type: `mixed` or `related`: some versions of Couchbase Lite take only the latter.
    func bulkGet(
        _ items: [BulkGetItem],
        _ wanted: DocumentOptions,
        _ attachments: AttachmentMembers,
        as type: String,
        from served: ServedDatabase
    ) -> Answer {
        var attachments = attachments
        attachments.contents = .following(after: 0)
        let reader = RevisionReader(database: served.database, wanted: wanted, attachments: attachments)
        var generator = SystemRandomNumberGenerator()
        let boundary = MultipartBoundary(using: &generator)
        let body = Answer.Body.stream(length: nil) { [core, reader] sink in
            var message = MixedMessage(boundary: boundary, to: sink, on: core.threads)
            for item in items {
                var reader = reader
                reader.known = item.attachmentsSince ?? wanted.attachmentsSince
                try await Exchange.write(item, reader, to: &message)
            }
            try await message.end()
        }
        return Answer(status: .ok, headers: [.contentType: boundary.contentType(type)], body: body)
    }

    private static func write(
        _ item: BulkGetItem,
        _ reader: RevisionReader,
        to message: inout MixedMessage
    ) async throws {
        guard let request = item.request(latest: reader.wanted.isLatest) else {
            let refusal = item.refusal ?? (.missing, "undefined")
            return try await message.write(failure: item.failure(refusal.error, refusal.revision))
        }
        let threads = message.threads
        let first = try await threads.run { try reader.batch(request) }
        guard !first.isEmpty else { return try await message.write(failure: item.failure(.missing, "undefined")) }
        try await reader.forEach(of: request.documentID, from: first, on: threads) { part in
            switch part {
            case .found(let revision): try await message.write(revision)
            case .missing(let revision): try await message.write(failure: item.failure(.missing, revision.string))
            case .failed(let revision, let error):
                try await message.write(failure: item.failure(error, revision.string))
            }
        }
    }
}

extension Exchange.BulkGetItem {
    /// The JSON of a part that says what is wrong.
    fileprivate func failure(_ error: CouchError, _ revision: String?) throws -> [UInt8] {
        var row = error.row(id: nil, rev: revision)
        row["id"] = id.map { .string($0) } ?? .null
        if revision == nil { row["rev"] = .null }
        return try row.canonicalBytes()
    }
}
