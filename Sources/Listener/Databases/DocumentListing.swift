internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The rows of `_all_docs` and its relatives, piece by piece: each piece from a snapshot of its own, so that a client
/// that reads slowly holds nothing open.
struct DocumentListing: Sendable {
    private let database: Database
    private let wanted: ListingOptions
    private let attachments: AttachmentMembers
    private var query: DocumentQuery
    /// The keys that are still to be listed, in the order asked.
    private var keys: ArraySlice<JSONValue>?
    private var isFirst = true
    private(set) var isOver = false

    private static let mostRows = 2_000
    private static let keysAtOnce = 256

    /// - Parameter prefix: Only documents whose IDs begin with it, if it is not empty.
    init(_ wanted: ListingOptions, prefix: String, _ attachments: AttachmentMembers, of database: Database) {
        self.database = database
        self.wanted = wanted
        self.attachments = attachments
        query = DocumentQuery(
            inclusiveStart: wanted.includesStart,
            inclusiveEnd: wanted.includesEnd,
            limit: wanted.limit,
            skip: wanted.skip,
            descending: wanted.isDescending,
            includeDeleted: wanted.includesDeleted,
            onlyConflicts: wanted.onlyConflicts,
            includeBodies: wanted.includesDocuments
        )
        if wanted.key == nil, let given = wanted.keys {
            let taken = (wanted.isDescending ? given.reversed() : given).dropFirst(wanted.skip)
            keys = ArraySlice(taken.prefix(wanted.limit ?? .max))
        } else {
            setRange(prefix)
        }
    }

    /// IDs are text: below it are numbers, above it arrays, as in the order of views.
    private mutating func setRange(_ prefix: String) {
        let (low, high) = wanted.ends
        var lowest = low?.stringValue
        var highest = high?.stringValue
        if let low, low.stringValue == nil, low.isAboveText { isOver = true }
        if let high, high.stringValue == nil, !high.isAboveText { isOver = true }
        if !prefix.isEmpty {
            let end = DocumentListing.end(ofPrefix: prefix)
            lowest = lowest.map { $0.utf8.lexicographicallyPrecedes(prefix.utf8) ? prefix : $0 } ?? prefix
            highest = highest.map { $0.utf8.lexicographicallyPrecedes(end.utf8) ? $0 : end } ?? end
        }
        (query.startKey, query.endKey) = wanted.isDescending ? (highest, lowest) : (lowest, highest)
        if query.limit == 0 { isOver = true }
    }

    /// What comes behind all IDs with a prefix, which ends with a slash: the byte above that is a zero.
    static func end(ofPrefix prefix: String) -> String { prefix.dropLast() + "0" }

    /// Adds the next rows, about so many bytes. Blocks.
    mutating func appendRows(upTo bytes: Int, to text: inout JSONAnswerText) throws {
        guard !isOver else { return }
        if keys != nil { return try appendKeys(upTo: bytes, to: &text) }
        var last: DocumentID?
        var rows = 0
        var isFull = false
        var isFirst = isFirst
        let skipped = query.skip
        try database.read { snapshot in
            var failure: (any Error)?
            try snapshot.forEachDocument(query) { (record) throws(StorageError) in
                let row = try Row(record)
                last = row.id
                rows += 1
                if !isFirst { text.raw(",\n") }
                isFirst = false
                record.withBody { json in
                    do {
                        try append(row, json, to: &text)
                    } catch {
                        failure = error
                    }
                }
                guard failure == nil else { return false }
                isFull = text.count >= bytes || rows == DocumentListing.mostRows
                return !isFull
            }
            if let failure { throw failure }
        }
        self.isFirst = isFirst
        guard isFull, let last else {
            isOver = true
            return
        }
        query.startKey = last.string
        query.inclusiveStart = false
        if skipped > 0 { query.skip = 0 }
        if let limit = query.limit {
            query.limit = limit - rows
            isOver = limit == rows
        }
    }

    /// What a row needs of a record.
    private struct Row {
        var id: DocumentID
        var revision: RevisionID
        var isDeleted: Bool
        var isConflicted: Bool
        var hasAttachments: Bool
        var sequence: UInt64

        init(_ record: borrowing RecordView) throws(StorageError) {
            id = try record.documentID()
            revision = try record.winnerID()
            isDeleted = record.flags.contains(.deleted)
            isConflicted = record.flags.contains(.conflicted)
            hasAttachments = record.flags.contains(.hasAttachments)
            sequence = record.sequence
        }
    }

    private func append(_ row: Row, _ json: RawSpan, to text: inout JSONAnswerText) throws {
        text.raw(#"{"id":"#)
        let id = text.string(row.id.string)
        text.raw(#","key":"#)
        text.again(id)
        text.raw(#","value":{"rev":"#)
        let revision = text.string(row.revision.string)
        if row.isDeleted { text.raw(#","deleted":true"#) }
        if wanted.showsConflicts, row.isConflicted {
            text.raw(#","_conflicts":"#)
            let others = try database[row.id].lineage(of: row.revision).leaves.filter { !$0.isDeleted }
            text.list(others.map(\.id).filter { $0 != row.revision })
        }
        text.raw("}")
        if wanted.includesDocuments {
            text.raw(#","doc":"#)
            if row.isDeleted && !wanted.includesDeleted {
                text.raw("null")
            } else {
                try appendDocument(row, json, (id, revision), to: &text)
            }
        }
        text.raw("}")
    }

    private func appendDocument(
        _ row: Row,
        _ json: RawSpan,
        _ places: (id: Range<Int>, revision: Range<Int>),
        to text: inout JSONAnswerText
    ) throws {
        var revision = RevisionText(id: row.id, revision: row.revision, places: places)
        revision.isDeleted = row.isDeleted
        revision.hasAttachments = row.hasAttachments
        if wanted.includesConflicts, row.isConflicted {
            let leaves = try database[row.id].lineage(of: row.revision).leaves
            revision.conflicts = leaves.filter { !$0.isDeleted }.map(\.id).filter { $0 != row.revision }
        }
        try revision.append(json, attachments, to: &text)
    }

    // MARK: Given keys

    private mutating func appendKeys(upTo bytes: Int, to text: inout JSONAnswerText) throws {
        guard let some = keys?.prefix(DocumentListing.keysAtOnce), !some.isEmpty else {
            isOver = true
            return
        }
        var isFirst = isFirst
        var done = 0
        try database.read { snapshot in
            for key in some {
                if !isFirst { text.raw(",\n") }
                isFirst = false
                if let (row, json) = try row(of: key, in: snapshot) {
                    try unsafe append(row, json.span.bytes, to: &text)
                } else {
                    text.raw(#"{"key":"#)
                    text.value(key)
                    text.raw(#","error":"not_found"}"#)
                }
                done += 1
                if text.count >= bytes { break }
            }
        }
        self.isFirst = isFirst
        keys = keys?.dropFirst(done)
    }

    /// Nil for a key that is not the ID of any document.
    private func row(of key: JSONValue, in snapshot: Snapshot) throws -> (Row, json: [UInt8])? {
        guard let id = key.stringValue.flatMap({ try? DocumentID($0) }), !id.isLocal else { return nil }
        var query = DocumentQuery(startKey: id.string, endKey: id.string, includeDeleted: true)
        query.includeBodies = wanted.includesDocuments
        var row: (Row, json: [UInt8])?
        try snapshot.forEachDocument(query) { (record) throws(StorageError) in
            row = (try Row(record), record.bodyCopy())
            return false
        }
        return row
    }
}

extension JSONValue {
    /// Whether it comes after all texts in the order of views.
    var isAboveText: Bool { arrayValue != nil || objectValue != nil }
}
