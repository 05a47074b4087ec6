internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The rows of a feed from a sequence on, a piece at a time. Each piece is of one state or a few, and none stays open
/// while a client reads.
struct ChangesRows: Sendable {
    /// How rows are arranged.
    enum Form: Sendable { case list, lines, events }

    private let database: Database
    private let wanted: ChangesOptions
    private let filter: ChangesFilter
    private let attachments: AttachmentMembers
    /// The last sequence that was looked at, whether its row was sent or not.
    private(set) var since: UInt64 = 0
    /// How many rows may still be sent; nil for any number.
    private(set) var remaining: Int?
    private(set) var sent = 0
    /// Whether all changes there were have been looked at.
    private(set) var isAtEnd = false
    /// Where a listing from the latest change to the first is.
    private var descent: Descent?

    private struct Descent {
        /// The highest sequence that was not looked at yet.
        var next: UInt64
        /// The last sequence there was when it began. Who goes on from there misses nothing.
        let end: UInt64
    }

    private static let pieceBytes = 64 << 10
    /// A filter may take few of the documents that it looks at.
    private static let pieceBytesToFilter = 256 << 10
    private static let rowsAtOnce = 500
    /// A piece is over after so many rows also if the filter took none: other requests wait for the thread, and the
    /// client for a sign of life.
    private static let mostRows = 5_000
    /// For functions of design documents.
    private static let documentsAtOnce = 100

    init(_ wanted: ChangesOptions, _ filter: ChangesFilter, _ attachments: AttachmentMembers, of database: Database) {
        self.database = database
        self.wanted = wanted
        self.filter = filter
        self.attachments = attachments
        remaining = wanted.limit
    }

    /// Finds where the feed begins. Blocks.
    mutating func begin() throws {
        switch wanted.since {
        case .now: since = try database.lastSequence
        case .sequence(let sequence): since = sequence
        }
    }

    /// Whether its filter runs JavaScript.
    var isFiltered: Bool { filter.isFunction }

    /// Whether there is nothing more to send now.
    var isDone: Bool { isAtEnd || remaining == 0 }

    /// Begins to look for more behind the last one.
    mutating func resume() { isAtEnd = false }

    /// How many changes there may be behind the last row: exact if it is 0. Blocks.
    func pending() throws -> UInt64 {
        if isAtEnd { return 0 }
        let last = try database.lastSequence
        return last > since ? last - since : 0
    }

    /// Adds the next rows. Blocks.
    mutating func appendRows(_ form: Form, to text: inout JSONAnswerText) throws {
        var looked = 0
        while !isDone, text.count < ChangesRows.pieceBytes, looked < ChangesRows.mostRows {
            let page = try nextPage()
            var isCut = false
            for (row, revisions) in zip(page.rows, try filter.accept(page.rows, attachments)) {
                guard remaining != 0 else {
                    isCut = true
                    break
                }
                if !revisions.isEmpty { try append(row, revisions, form, to: &text) }
                if descent == nil { since = row.sequence } else { descent?.next = row.sequence - 1 }
            }
            looked += page.rows.count
            isAtEnd = page.isLast && !isCut
            // Others have their turn between two calls of a function.
            if filter.isFunction { break }
        }
        guard isDone, let end = descent?.end else { return }
        since = end
        isAtEnd = true
        descent = nil
    }

    /// Reads a page that makes about one piece.
    private mutating func nextPage() throws -> ChangePage {
        if wanted.isDescending, descent == nil {
            let last = try database.lastSequence
            descent = Descent(next: last, end: last)
        }
        return try database.changePage(
            since: since,
            through: descent?.next,
            limit: filter.isFunction ? ChangesRows.documentsAtOnce : ChangesRows.rowsAtOnce,
            bytes: filter.needsBody ? ChangesRows.pieceBytesToFilter : ChangesRows.pieceBytes,
            descending: wanted.isDescending,
            includeDocs: wanted.includesDocuments || filter.needsBody,
            includeLeaves: wanted.style == .allDocuments
        )
    }

    private mutating func append(
        _ row: DocumentRow,
        _ revisions: [RevisionID],
        _ form: Form,
        to text: inout JSONAnswerText
    ) throws {
        guard !(wanted.isActiveOnly && row.isDeleted) else { return }
        switch form {
        case .list: text.raw(sent > 0 ? ",\n" : "\n")
        case .lines: break
        case .events: text.raw("data: ")
        }
        text.raw(#"{"seq":"#)
        text.number(row.sequence)
        text.raw(#","id":"#)
        text.string(row.documentID.string)
        text.raw(#","changes":["#)
        for (place, id) in revisions.enumerated() {
            text.raw(place > 0 ? #",{"rev":"# : #"{"rev":"#)
            text.revision(id)
            text.raw("}")
        }
        text.raw("]")
        if row.isDeleted { text.raw(#","deleted":true"#) }
        if wanted.includesDocuments { try appendDocument(row, to: &text) }
        text.raw("}")
        switch form {
        case .list: break
        case .lines: text.raw("\n")
        case .events:
            text.raw("\nid: ")
            text.number(row.sequence)
            text.raw("\n\n")
        }
        sent += 1
        if let remaining { self.remaining = remaining - 1 }
    }

    private func appendDocument(_ row: DocumentRow, to text: inout JSONAnswerText) throws {
        guard let json = row.json else { return }
        var revision = RevisionText(id: row.documentID, revision: row.revisionID)
        revision.isDeleted = row.isDeleted
        revision.hasAttachments = row.hasAttachments
        if wanted.includesConflicts, row.isConflicted {
            let leaves = try database[row.documentID].lineage(of: row.revisionID).leaves
            revision.conflicts = leaves.filter { !$0.isDeleted }.map(\.id).filter { $0 != row.revisionID }
        }
        text.raw(#","doc":"#)
        try revision.append(unsafe json.span.bytes, attachments, to: &text)
    }
}
