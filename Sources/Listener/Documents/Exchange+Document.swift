internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// A document by its ID.
extension Exchange {
    func document(_ text: String, in served: ServedDatabase) async throws -> Answer {
        let id = try Exchange.documentID(text)
        switch method {
        case .put: return try await putDocument(id, in: served)
        case .delete: return try await deleteDocument(id, in: served)
        case .copy: return try await copyDocument(id, in: served)
        default: break
        }
        let wanted = try DocumentOptions(options)
        // CouchDB takes an empty list for none.
        if let revisions = wanted.openRevisions, revisions != .list([]), !id.isLocal {
            return try await openRevisions(revisions, wanted, of: id, in: served)
        }
        return try await getDocument(id, wanted, in: served)
    }

    private func getDocument(
        _ id: DocumentID,
        _ wanted: DocumentOptions,
        in served: ServedDatabase
    ) async throws -> Answer {
        let attachments = attachmentMembers(wanted, in: served)
        if case .inline = attachments.contents, !id.isLocal, acceptedTypes.prefersMultipart("related") ?? false {
            return try await relatedDocument(id, wanted, attachments, in: served)
        }
        let (text, revision) = try await blocking { try Exchange.read(id, wanted, attachments, in: served.database) }
        var headers: HTTPFields = [:]
        if !wanted.includesMetadata {
            let tag = EntityTag(revision)
            if try hasCurrent(tag) { return .notModified(tag) }
            headers[.eTag] = tag.header
        }
        return .json(.ok, text.bytes, headers: headers)
    }

    /// Whether peers of this client compare SHA-1s as they are stored: other Settees, Couchbase Lite, Sync Gateway.
    var usesStoredDigests: Bool {
        guard let agent = header(.userAgent) else { return false }
        return ["Settee", "CouchbaseLite", "Couchbase Sync Gateway"].contains { agent.hasPrefix($0) }
    }

    func attachmentMembers(_ wanted: DocumentOptions, in served: ServedDatabase) -> AttachmentMembers {
        var members = AttachmentMembers(database: served.database, usesStoredDigests: usesStoredDigests)
        members.includesEncodingInfo = wanted.includesEncodingInfo
        // As in CouchDB, who says what they have gets the rest.
        if wanted.includesAttachments || wanted.attachmentsSince != nil { members.contents = .inline(after: 0) }
        return members
    }

    /// Returns the text of a document, and its revision as it is in the entity tag. Blocks.
    static func read(
        _ id: DocumentID,
        _ wanted: DocumentOptions,
        _ attachments: AttachmentMembers,
        in database: Database
    ) throws -> (JSONAnswerText, String) {
        var text = JSONAnswerText()
        if id.isLocal {
            guard let found = try database.localRevision(of: id) else { throw CouchError.missing }
            var revision = RevisionText(id: id, revision: found.id)
            if wanted.includesHistory { revision.history = [found.id] }
            try unsafe revision.append(found.json.span.bytes, attachments, to: &text)
            text.raw("\n")
            return (text, found.id.localWireText)
        }
        var tag = ""
        try withRevision(id, wanted, in: database) { found, json in
            let revision = try RevisionText(found, wanted, in: database)
            text = JSONAnswerText(reserving: json.byteCount + 200)
            let attachments = attachments.without(contentsOf: wanted.attachmentsSince, of: found)
            try revision.append(json, attachments, to: &text)
            tag = found.id.string
        }
        text.raw("\n")
        return (text, tag)
    }

    /// Passes the revision that is wanted of a document, and its stored text, to `body`. Both are of one state, in
    /// which `body` can read more. Blocks.
    ///
    /// - Throws: `not_found` (404), missing or deleted; what `body` throws.
    static func withRevision(
        _ id: DocumentID,
        _ wanted: DocumentOptions,
        in database: Database,
        _ body: (FoundRevision, RawSpan) throws -> Void
    ) throws {
        try database.read { snapshot in
            var request = RevisionRequest(documentID: id, selection: .current, latest: wanted.isLatest)
            if let revision = wanted.revision { request.selection = .revisions([revision]) }
            var failure: (any Error)?
            var isFirst = true
            try database.revisions([request]) { (_, answer, json) throws(StorageError) in
                // Several leaves may follow a revision; the first one wins.
                guard isFirst else { return }
                isFirst = false
                do {
                    guard case .found(let found) = answer else {
                        if case .noDocument = answer, try snapshot.revision(of: id) != nil { throw CouchError.deleted }
                        throw CouchError.missing
                    }
                    try body(found, json)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
        }
    }
}

extension RevisionText {
    /// - Parameter found: What a bulk read found; its history is sent if the options ask for it.
    init(_ found: FoundRevision, _ wanted: DocumentOptions, in database: Database) throws(StorageError) {
        self.init(id: found.documentID, revision: found.id)
        isDeleted = found.isDeleted
        hasAttachments = found.hasAttachments
        if wanted.includesHistory { history = found.history }
        if wanted.includesSequence { sequence = found.sequence }
        if wanted.includesExpiry { expiration = try database[found.documentID].expiration }
        if wanted.includesHistoryInfo || wanted.includesConflicts || wanted.includesDeletedConflicts {
            let lineage = try database[found.documentID].lineage(of: found.id)
            if wanted.includesHistoryInfo { historyInfo = lineage.history }
            let others = lineage.leaves.filter { $0.id != found.id }
            if wanted.includesConflicts { conflicts = others.filter { !$0.isDeleted }.map(\.id) }
            if wanted.includesDeletedConflicts { deletedConflicts = others.filter(\.isDeleted).map(\.id) }
        }
    }
}
