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

    private static let pieceBytes = 64 << 10
    private static let rowsAtOnce = 500

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
        if wanted.isDescending { return try appendDescending(form, to: &text) }
        while !isDone, text.count < ChangesRows.pieceBytes {
            let rows = try changes(limit: ChangesRows.rowsAtOnce).rows()
            for row in rows {
                guard remaining != 0, text.count < ChangesRows.pieceBytes else { return }
                try append(row, form, to: &text)
                since = row.sequence
            }
            if rows.count < ChangesRows.rowsAtOnce { isAtEnd = true }
        }
    }

    /// From the latest change to the first: a listing of what is there, which nobody goes on with.
    private mutating func appendDescending(_ form: Form, to text: inout JSONAnswerText) throws {
        let last = try database.lastSequence
        var rows = self
        struct Enough: Error {}
        do {
            try changes(limit: nil).forEach { row in
                guard rows.remaining != 0 else { throw Enough() }
                try rows.append(row, form, to: &text)
            }
        } catch is Enough {}
        self = rows
        since = last
        isAtEnd = true
    }

    private func changes(limit: Int?) -> RowListing {
        database.changes(
            since: since,
            limit: limit,
            descending: wanted.isDescending,
            includeDocs: wanted.includesDocuments || filter.needsBody,
            includeLeaves: wanted.style == .allDocuments
        )
    }

    private mutating func append(_ row: DocumentRow, _ form: Form, to text: inout JSONAnswerText) throws {
        guard !(wanted.isActiveOnly && row.isDeleted), try filter.accepts(row) else { return }
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
        for (place, id) in (row.leaves?.map(\.id) ?? [row.revisionID]).enumerated() {
            text.raw(place > 0 ? #",{"rev":"# : #"{"rev":"#)
            text.string(id.string)
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
