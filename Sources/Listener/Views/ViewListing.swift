internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeViews
internal import StorageProtocol

/// The rows of a view, piece by piece, in batches that are each of one state, so that a client that reads slowly holds
/// nothing open.
struct ViewListing: Sendable {
    private let request: ViewRequest
    private let attachments: AttachmentMembers
    private var cursor: QueryCursor
    /// So many rows are read at a time: few if they are large.
    private var batch: Int
    private var isFirst = true
    private(set) var isOver = false

    static let pieceBytes = 64 << 10
    private static let mostRows = 256
    /// Rows with documents may be of any size. The first ones show it.
    private static let firstDocuments = 8

    /// - Throws: `badParameter` (495) for what the view cannot do.
    init(_ request: ViewRequest, of view: DatabaseView, _ attachments: AttachmentMembers) throws(StorageError) {
        self.request = request
        self.attachments = attachments
        cursor = try QueryCursor(request.query(of: view))
        batch = request.options.includesDocuments ? ViewListing.firstDocuments : ViewListing.mostRows
    }

    /// Adds the next rows. Blocks.
    ///
    /// - Throws: `conflict` (409) if the index was rebuilt since the last rows; what a reduce function throws.
    mutating func appendRows(to text: inout JSONAnswerText) throws {
        while !isOver, text.count < ViewListing.pieceBytes {
            let rows = try cursor.next(atMost: batch)
            let before = text.count
            for row in rows {
                if !isFirst { text.raw(",\n") }
                isFirst = false
                try append(row, to: &text)
            }
            guard !rows.isEmpty else {
                isOver = true
                return
            }
            let bytes = max(1, (text.count - before) / rows.count)
            batch = max(1, min(ViewListing.pieceBytes / bytes, ViewListing.mostRows))
        }
    }

    private func append(_ row: QueryRow, to text: inout JSONAnswerText) throws {
        text.raw("{")
        if !request.isReduced {
            text.raw(#""id":"#)
            text.string(row.sourceDocumentID?.string ?? "")
            text.raw(",")
        }
        text.raw(#""key":"#)
        if row.withKeyJSON({ text.raw($0) }) == nil { text.raw("null") }
        text.raw(#","value":"#)
        if row.withValueJSON({ text.raw($0) }) == nil { text.raw("null") }
        if request.options.includesDocuments {
            text.raw(#","doc":"#)
            if let revision = try revision(of: row) {
                try append(revision, to: &text)
            } else {
                text.raw("null")
            }
        }
        text.raw("}")
    }

    /// The document of a row: that of the value's `_id`, else the one that emitted it, in the revision of the value's
    /// `_rev`, else the current one. An `_id` of null means no document, as in CouchDB.
    private func revision(of row: QueryRow) throws -> SavedRevision? {
        let linked = row.withValueJSON { value in
            func member(_ name: String) -> JSONValue? {
                JSONScanner.range(ofMember: name, in: value).flatMap { JSONScanner.value(value.extracting($0)) }
            }
            return (id: member("_id"), revision: member("_rev")?.stringValue)
        }
        if linked?.id == .null { return nil }
        guard let text = linked?.revision else { return row.documentRevision }
        guard let id = row.documentID, let revision = try? RevisionID(wire: text) else { return nil }
        return try attachments.database.revision(revision, of: id)
    }

    private func append(_ saved: SavedRevision, to text: inout JSONAnswerText) throws {
        let json = unsafe saved.json.span.bytes
        var revision = RevisionText(id: saved.documentID, revision: saved.id)
        revision.isDeleted = saved.isDeleted
        revision.hasAttachments = JSONScanner.range(ofMember: "_attachments", in: json) != nil
        if request.options.includesConflicts, !saved.documentID.isLocal {
            let leaves = try attachments.database[saved.documentID].lineage(of: saved.id).leaves
            revision.conflicts = leaves.filter { !$0.isDeleted }.map(\.id).filter { $0 != saved.id }
        }
        try revision.append(json, attachments, to: &text)
    }
}
