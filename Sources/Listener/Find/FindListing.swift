internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeIndexes
internal import SetteeQueries
internal import StorageProtocol

/// The answer to `_find`, piece by piece: each page of rows is of one state, so that a client that reads slowly holds
/// nothing open.
struct FindListing: Sendable {
    private var search: FindSearch
    private let attachments: AttachmentMembers
    private let projection: FieldProjection?
    private let cancellation: Cancellation
    private let began: ContinuousClock.Instant
    /// So many rows are read at a time: few if they are large.
    private var batch = 8
    private var isFirst = true
    private(set) var isOver = false

    private static let pieceBytes = 64 << 10
    private static let mostRows = 256

    /// - Throws: `bad_field` (400) for a path in `fields` that is refused.
    init(
        _ search: FindSearch,
        _ attachments: AttachmentMembers,
        _ cancellation: Cancellation,
        since began: ContinuousClock.Instant
    ) throws(CouchError) {
        self.search = search
        self.attachments = attachments
        self.cancellation = cancellation
        self.began = began
        let fields = search.request.fields
        do throws(StorageError) {
            projection = fields.isEmpty ? nil : try FieldProjection(fields)
        } catch {
            throw CouchError(selector: error)
        }
    }

    /// Adds the next rows, and behind the last one what ends the answer. Blocks.
    ///
    /// - Throws: `conflict` (409) if the index was removed or changed since the last rows; what the selector throws.
    mutating func appendRows(to text: inout JSONAnswerText) throws {
        if isFirst { text.raw(#"{"docs":["#) }
        while text.count < FindListing.pieceBytes {
            let rows = try search.cursor.next(cancellation, atMost: batch)
            let before = text.count
            for row in rows {
                text.raw(isFirst ? "\n" : ",\n")
                isFirst = false
                try append(row.revision, to: &text)
            }
            guard !rows.isEmpty else {
                isOver = true
                appendEnd(to: &text)
                return
            }
            let bytes = max(1, (text.count - before) / rows.count)
            batch = max(1, min(FindListing.pieceBytes / bytes, FindListing.mostRows))
        }
    }

    private func append(_ saved: SavedRevision, to text: inout JSONAnswerText) throws {
        var conflicts: [RevisionID] = []
        if search.request.includesConflicts {
            let leaves = try attachments.database[saved.documentID].lineage(of: saved.id).leaves
            conflicts = leaves.filter { !$0.isDeleted }.map(\.id).filter { $0 != saved.id }
        }
        guard let projection else {
            let json = unsafe saved.json.span.bytes
            var revision = RevisionText(id: saved.documentID, revision: saved.id)
            revision.hasAttachments = JSONScanner.range(ofMember: "_attachments", in: json) != nil
            revision.conflicts = conflicts
            return try revision.append(json, attachments, to: &text)
        }
        var document = try saved.annotatedProperties
        if let stubs = document["_attachments"]?.objectValue {
            document["_attachments"] = .object(try attachments.members(of: stubs))
        }
        if !conflicts.isEmpty { document["_conflicts"] = .array(conflicts.map { .string($0.string) }) }
        text.value(.object(projection.apply(to: document)))
    }

    private func appendEnd(to text: inout JSONAnswerText) {
        text.raw("\n],\n\"bookmark\":")
        text.string(search.bookmark)
        if search.request.wantsStatistics {
            let statistics = search.cursor.statistics
            text.raw(",\n\"execution_stats\":")
            text.value([
                "total_keys_examined": JSONValue(statistics.keysExamined),
                "total_docs_examined": JSONValue(statistics.documentsExamined), "total_quorum_docs_examined": 0,
                "results_returned": JSONValue(statistics.rowsReturned),
                "execution_time_ms": .double(Double((.now - began) / .microseconds(1)).rounded() / 1_000),
            ])
        }
        if let warning = search.warning {
            text.raw(",\n\"warning\":")
            text.string(warning)
        }
        text.raw("}\n")
    }
}
