internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues

/// `_bulk_docs`: many writes, with an outcome for each.
extension Exchange {
    /// The documents are written while the body is read, in batches of 4 MiB. A body that turns out to be malformed
    /// leaves what was written before: nothing, if its documents have less than a batch. Then one that cannot be a
    /// document refuses all of them, too.
    func bulkDocuments(in served: ServedDatabase) async throws -> Answer {
        try ContentTypes.requireJSON(request.head.headerFields)
        var writer = BulkWriter(
            served,
            core.threads,
            by: access.user,
            designRefusal: try await designRefusal(in: served),
            answerBytes: core.options.bulkBytes
        )
        do {
            try await writeDocuments(with: &writer)
        } catch {
            await writer.end()
            throw error
        }
        let rows = try await writer.finish()
        let headers: HTTPFields = [.contentType: "application/json", .cacheControl: "must-revalidate"]
        let body = Answer.Body.stream(length: rows.textBytes + 3) { sink in
            var text = JSONAnswerText()
            text.raw("[")
            for (place, piece) in rows.pieces.enumerated() {
                if place > 0 {
                    try await sink.write(text.take())
                    text.raw(",")
                }
                text.outcomes(piece.outcomes)
            }
            text.raw("]\n")
            try await sink.write(text.take())
        }
        return Answer(status: .created, headers: headers, body: body)
    }

    private func writeDocuments(with writer: inout BulkWriter) async throws {
        var pieces = try BodyPieces(of: request.head, body, upTo: core.options.bulkDocumentsBytes)
        var reader = BulkReader(documentBytes: core.options.documentBytes)
        while let piece = try await pieces.next() {
            try reader.push(piece)
            guard reader.hasBatch else { continue }
            if let newEdits = try BulkOptions(reader.options).newEdits {
                while let batch = reader.takeBatch() {
                    if let written = try await writer.write(batch, newEdits: newEdits) { reader.reuse(written) }
                }
            } else if reader.waitingBytes > core.options.bulkBytes {
                // What these documents are may be said behind them.
                throw CouchError(413, "too_large", "`new_edits` must come before `docs` in a request of this size.")
            }
        }
        try reader.finish()
        let newEdits = try BulkOptions(reader.options).newEdits ?? true
        var rest: [BulkBatch] = []
        while let batch = reader.takeBatch() { rest.append(batch) }
        // What was written before is not taken back.
        if !writer.hasBegun { try await writer.check(rest, newEdits: newEdits) }
        for batch in rest { _ = try await writer.write(batch, newEdits: newEdits) }
    }

    /// Why the client may not write design documents; nil if it may.
    private func designRefusal(in served: ServedDatabase) async throws -> CouchError? {
        do {
            try await requireWrite(of: "_design/", in: served)
            return nil
        } catch let refusal as CouchError where refusal.status == 403 {
            return refusal
        }
    }
}
