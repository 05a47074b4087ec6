internal import SetteeDocumentValues
internal import StorageProtocol

extension RemotePeer {
    private static let batchDocuments = 1_000
    private static let batchBytes = 4 << 20
    /// Contents of a document that have less than this in total go with the other documents.
    private static let inlineBytes: UInt64 = 64 << 10
    /// So much is sent as base64 to a server that takes no multipart/related.
    private static let mostInlineBytes: UInt64 = 24 << 20

    /// From here on a document's path, and the header of a part with an attachment's name, may be more than a server
    /// takes. What a body can hold goes there.
    private static let mostAddressBytes = 7 << 10

    func insert(_ revisions: [TransferredRevision], from source: any Peer) async throws -> [InsertOutcome] {
        var outcomes: [InsertOutcome] = Array(repeating: .added, count: revisions.count)
        var batch: [BatchedDocument] = []
        var bytes = 0
        for (place, revision) in revisions.enumerated() {
            let document: OutgoingDocument
            let text: [UInt8]?
            do {
                document = try OutgoingDocument(revision, at: place)
                text = try await self.text(of: document, provesNothing: false, from: source)
            } catch let error as PeerError where error.isAboutDocument {
                outcomes[place] = .refused(error)
                continue
            }
            guard let text else {
                outcomes[place] = try await put(document, provesNothing: false, from: source)
                continue
            }
            if batch.count == RemotePeer.batchDocuments || bytes + text.count > RemotePeer.batchBytes, !batch.isEmpty {
                try await send(batch, &outcomes, from: source)
                (batch, bytes) = ([], 0)
            }
            batch.append(BatchedDocument(document: document, text: text))
            bytes += text.count
        }
        if !batch.isEmpty { try await send(batch, &outcomes, from: source) }
        return outcomes
    }

    /// The text for `_bulk_docs`; nil if the contents that the server lacks are too large for it.
    func text(
        of document: OutgoingDocument,
        provesNothing: Bool,
        from source: any Peer
    ) async throws -> [UInt8]? {
        guard !document.attachments.isEmpty else { return try document.text() }
        let lacking = document.lacking(provesNothing: provesNothing)
        var bytes: UInt64 = 0
        for attachment in lacking { bytes = bytes.addingReportingOverflow(attachment.length).partialValue }
        let takesMultipart = dialect.withLock { $0.takesMultipart }
        if bytes >= RemotePeer.inlineBytes {
            let isLong = document.longestAddress > RemotePeer.mostAddressBytes
            if takesMultipart, !isLong || bytes > RemotePeer.mostInlineBytes { return nil }
            guard bytes <= RemotePeer.mostInlineBytes else {
                throw PeerError(
                    .tooLarge,
                    status: 413,
                    "The server takes attachments as base64 only, and these are too large."
                )
            }
        }
        var entries = JSONObject()
        let names = Set(lacking.map { Array($0.name.utf8) })
        for attachment in document.attachments {
            if attachment.hasData {
                entries[attachment.name] = .object(attachment.entry)
            } else if names.contains(Array(attachment.name.utf8)) {
                let base64 = try await base64(of: attachment, from: source)
                entries[attachment.name] = .object(attachment.inline(base64))
            } else {
                entries[attachment.name] = .object(attachment.stub)
            }
        }
        return try document.text(entries)
    }
}

/// A document of a batch, as it is sent.
struct BatchedDocument: Sendable {
    let document: OutgoingDocument
    let text: [UInt8]
}

extension PeerError {
    /// Whether only the document that was made ready to be sent is concerned.
    fileprivate var isAboutDocument: Bool { [.badDocument, .tooLarge, .missingAttachment].contains(kind) }
}
