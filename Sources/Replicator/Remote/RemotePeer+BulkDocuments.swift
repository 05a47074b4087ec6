internal import NIOHTTP1
internal import SetteeCouchProtocol
internal import SetteeDocumentValues

extension RemotePeer {
    private static let outcomeBytes = 1 << 20

    /// Sends documents by `_bulk_docs`, and notes what became of them. A batch that is refused as a whole is halved
    /// until the document at fault is alone.
    func send(
        _ batch: [BatchedDocument],
        _ outcomes: inout [InsertOutcome],
        from source: any Peer
    ) async throws {
        var refusals: BatchRefusals
        do {
            refusals = try await client.retrying(about: batch.count) { try await self.post(batch) }
        } catch let error as PeerError
            where [.tooLarge, .badDocument, .conflict, .missingAttachment].contains(error.kind)
        {
            try await expectServer(after: error)
            if batch.count == 1 {
                // CouchDB refuses the whole request for a stub whose content it lacks.
                outcomes[batch[0].document.place] = try await outcome(of: batch[0].document, after: error, from: source)
                return
            }
            return try await sendHalves(batch, &outcomes, from: source)
        }
        if refusals.hasNameless {
            guard batch.count == 1 else { return try await sendHalves(batch, &outcomes, from: source) }
            outcomes[batch[0].document.place] = .refused(refusals.nameless ?? .badAnswer("an error without a name"))
        }
        for member in batch {
            let revision = member.document.revision
            guard let error = refusals.error(of: revision.documentID, revision.history[0]) else { continue }
            outcomes[member.document.place] = try await outcome(of: member.document, after: error, from: source)
        }
        try refusals.expectNoOther()
    }

    private func outcome(
        of document: OutgoingDocument,
        after refusal: PeerError,
        from source: any Peer
    ) async throws -> InsertOutcome {
        guard refusal.kind == .missingAttachment, document.attachments.contains(where: \.isKnown) else {
            return .refused(refusal)
        }
        return try await sendAll(of: document, from: source)
    }

    private func sendHalves(
        _ batch: [BatchedDocument],
        _ outcomes: inout [InsertOutcome],
        from source: any Peer
    ) async throws {
        let half = batch.count / 2
        try await send(Array(batch[..<half]), &outcomes, from: source)
        try await send(Array(batch[half...]), &outcomes, from: source)
    }

    /// Sends a document with all its contents, since the server lacks some that it should have.
    private func sendAll(of document: OutgoingDocument, from source: any Peer) async throws -> InsertOutcome {
        guard let text = try await text(of: document, provesNothing: true, from: source) else {
            return try await put(document, provesNothing: true, from: source)
        }
        var refusals = try await client.retrying(about: 1) {
            try await self.post([BatchedDocument(document: document, text: text)])
        }
        let revision = document.revision
        let error = refusals.error(of: revision.documentID, revision.history[0]) ?? refusals.nameless
        try refusals.expectNoOther()
        return error.map { .refused($0) } ?? .added
    }

    private func post(_ batch: [BatchedDocument]) async throws -> BatchRefusals {
        var request = RemoteRequest(.POST, "_bulk_docs")
        // The flag comes first: servers that read in a stream need it before the documents.
        var body: [UInt8] = Array(#"{"new_edits":false,"docs":["#.utf8)
        body.reserveCapacity(batch.reduce(64) { $0 + $1.text.count + 1 })
        for (place, member) in batch.enumerated() {
            if place > 0 { body.append(UInt8(ascii: ",")) }
            body += member.text
        }
        body += "]}".utf8
        request.body = .json(body)
        let response = try await client.send(request)
        guard response.isSuccess else { throw await response.failure() }
        var rows = JSONRows(of: nil, limit: RemotePeer.outcomeBytes)
        var refusals = BatchRefusals(of: batch.count)
        while let bytes = try await response.body.next() {
            rows.append(bytes)
            while let row = try rows.next() { try refusals.add(row) }
        }
        _ = try rows.finish()
        return refusals
    }
}
