internal import SetteeCouchProtocol
internal import SetteeDesignDocuments
internal import SetteeEngine
internal import SetteeExpressions
internal import SetteeJavaScript
internal import StorageProtocol

/// What a filter decides about the rows of a listing.
///
/// Facts: CouchDB 3, `open_revs` and `filter_revs` in src/couch/src/couch_changes.erl. With `style=all_docs` a filter
/// that needs bodies judges each leaf, tombstones included; else it judges the winner.
extension ChangesFilter {
    /// So many revisions, or bytes of them, wait for a call of a function.
    private static let mostWaiting = 100
    private static let mostWaitingBytes = 1 << 20

    /// - Parameters:
    ///   - rows: With their bodies if they are needed, and with their leaves if each is to be judged.
    ///   - attachments: Of their database.
    /// - Returns: For each row the revisions that are in the feed; none if the document is not.
    /// - Throws: What the function throws.
    /// - Complexity: a leaf that is not the winner is read by itself.
    func accept(_ rows: [DocumentRow], _ attachments: AttachmentMembers) throws -> [[RevisionID]] {
        switch self {
        case .all: return rows.map(\.shown)
        case .documents(let ids): return rows.map { ids.contains($0.documentID) ? $0.shown : [] }
        case .design: return rows.map { $0.documentID.isDesign ? $0.shown : [] }
        case .selector(let selector):
            return try rows.map { row in
                try row.revisions { revision in
                    try selector.matches(
                        unsafe revision.json.span.bytes,
                        id: revision.documentID,
                        revision: revision.id,
                        isDeleted: revision.isDeleted
                    )
                }
            }
        case .named(let filter, let parameters):
            return try rows.map { row in try row.revisions { try filter.function($0, parameters) } }
        case .function(let filter, let request): return try accept(rows, by: filter, request: request, attachments)
        }
    }

    private func accept(
        _ rows: [DocumentRow],
        by filter: DesignFilter,
        request: [UInt8],
        _ attachments: AttachmentMembers
    ) throws -> [[RevisionID]] {
        var accepted: [[RevisionID]] = rows.map { _ in [] }
        var waiting: [(row: Int, revision: RevisionID)] = []
        var documents: [[UInt8]] = []
        var bytes = 0
        func judge() throws {
            for (candidate, outcome) in zip(waiting, try filter.accepts(documents, request: request)) {
                if try outcome.get() { accepted[candidate.row].append(candidate.revision) }
            }
            waiting = []
            documents = []
            bytes = 0
        }
        do {
            for (place, row) in rows.enumerated() {
                try row.forEachJudged { revision in
                    let document = try ChangesFilter.document(of: revision, attachments)
                    waiting.append((place, revision.id))
                    documents.append(document)
                    bytes += document.count
                    if waiting.count >= ChangesFilter.mostWaiting || bytes >= ChangesFilter.mostWaitingBytes {
                        try judge()
                    }
                }
            }
            try judge()
        } catch let error as JavaScriptError {
            throw CouchError(error)
        }
        return accepted
    }

    /// The document as functions see it, with attachments as they are stored.
    private static func document(of revision: SavedRevision, _ attachments: AttachmentMembers) throws -> [UInt8] {
        var text = JSONAnswerText(reserving: revision.json.count + 200)
        var seen = RevisionText(id: revision.documentID, revision: revision.id)
        seen.isDeleted = revision.isDeleted
        try seen.append(unsafe revision.json.span.bytes, attachments, to: &text)
        return text.bytes
    }
}

extension DocumentRow {
    /// The revisions of the row, if none is judged by its body.
    fileprivate var shown: [RevisionID] { leaves?.map(\.id) ?? [revisionID] }

    /// Returns the revisions that are accepted by their bodies.
    fileprivate func revisions(_ accept: (SavedRevision) throws -> Bool) throws -> [RevisionID] {
        var accepted: [RevisionID] = []
        try forEachJudged { if try accept($0) { accepted.append($0.id) } }
        return accepted
    }

    /// Reads the revisions that are judged, one by one. A leaf that has gone meanwhile is left out: its document has a
    /// later row, or is purged.
    fileprivate func forEachJudged(_ body: (SavedRevision) throws -> Void) throws {
        guard let revision else { throw StorageError.corrupt("The body of a revision is missing") }
        try body(revision)
        for leaf in leaves?.dropFirst() ?? [] {
            if let other = try document.revision(leaf.id) { try body(other) }
        }
    }
}
