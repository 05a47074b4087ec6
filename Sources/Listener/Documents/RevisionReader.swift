internal import SetteeCouchProtocol
internal import SetteeEngine
internal import StorageProtocol

/// Reads revisions for one request, in the form in which it sends them. Calls block but where they say otherwise.
struct RevisionReader: Sendable {
    let database: Database
    let wanted: DocumentOptions
    let attachments: AttachmentMembers
    /// Revisions that the client has, whose contents are not sent.
    var known: [RevisionID]?

    /// This many bytes of JSON are in memory at a time, or one revision.
    private static let mostBytes = 1 << 20
    /// After the first batch, this many revisions are read at a time.
    private static let mostRevisions = 16
    /// This many contents are open at a time. The others are opened when their turn comes.
    private static let mostOpen = 16

    /// - Parameter openCount: How many contents are open; those that are opened are added.
    func content(_ found: FoundRevision, _ json: RawSpan, openCount: inout Int) throws -> RevisionContent {
        let members = attachments.without(contentsOf: known, of: found)
        var text = JSONAnswerText(reserving: json.byteCount + 200)
        try RevisionText(found, wanted, in: database).append(json, members, to: &text)
        var content = RevisionContent(json: text.bytes)
        guard found.hasAttachments, case .following(let generation) = members.contents else { return content }
        for attachment in try found.saved(json, in: database).attachments where attachment.revpos > generation {
            let opens = openCount < RevisionReader.mostOpen
            content.attachments.append(try FollowingAttachment(attachment, opens: opens))
            if opens { openCount += 1 }
        }
        return content
    }

    /// Reads the first of the revisions that are wanted of a document, and the IDs of all, from one state.
    ///
    /// - Throws: What reading throws. What goes wrong with one revision is its part.
    func batch(_ request: RevisionRequest) throws(StorageError) -> RevisionBatch {
        var batch = RevisionBatch()
        var bytes = 0
        var openCount = 0
        try database.revisions([request]) { (_, answer, json) throws(StorageError) in
            switch answer {
            case .noDocument: break
            case .missing(let revision):
                if batch.rest.isEmpty { batch.parts.append(.missing(revision)) } else { batch.rest.append(revision) }
            case .found(let found):
                guard bytes < RevisionReader.mostBytes, batch.rest.isEmpty else {
                    batch.rest.append(found.id)
                    return
                }
                do {
                    let content = try content(found, json, openCount: &openCount)
                    bytes += content.json.count
                    batch.parts.append(.found(content))
                } catch {
                    batch.parts.append(.failed(found.id, CouchError(any: error)))
                }
            }
        }
        return batch
    }

    /// Passes the revisions of a batch, and then its rest, to `body`, one after the other. Reads on the threads.
    ///
    /// A revision of the rest whose body has gone meanwhile is missing.
    func forEach(
        of id: DocumentID,
        from first: RevisionBatch,
        on threads: BlockingThreads,
        _ body: (RevisionBatch.Part) async throws -> Void
    ) async throws {
        var batch = first
        while true {
            for part in batch.parts { try await body(part) }
            guard !batch.rest.isEmpty else { return }
            let next = Array(batch.rest.prefix(RevisionReader.mostRevisions))
            let rest = batch.rest.dropFirst(next.count)
            batch = try await threads.run {
                try self.batch(RevisionRequest(documentID: id, selection: .revisions(next)))
            }
            batch.rest += rest
        }
    }
}
