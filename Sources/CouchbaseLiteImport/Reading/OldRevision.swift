internal import StorageProtocol

/// A row of the table `revs`, without its body.
struct OldRevision {
    var rowid: Int64
    var id: RevisionID
    /// The parent's rowid; nil for a root.
    var parent: Int64?
    var isCurrent: Bool
    var isDeleted: Bool
    /// Whether the row has a body, even an empty one.
    var hasBody: Bool

    /// - Throws: `badRequest` (400) if the revision ID cannot be kept; `corrupt` (591) if the row cannot be read.
    init(_ connection: SourceConnection, rowid: Int64) throws(StorageError) {
        var found: OldRevision?
        try connection.rows(
            "SELECT revid, parent, current, deleted, json IS NOT NULL FROM revs NOT INDEXED WHERE rowid = ?1",
            rowid
        ) { (row) throws(StorageError) in
            found = try OldRevision(rowid, row)
            return false
        }
        // A damaged table may list rows that are then not found.
        guard let found else { throw StorageError(.corrupt, "The revision is not where the table has it.") }
        self = found
    }

    private init(_ rowid: Int64, _ row: SourceRow) throws(StorageError) {
        self.rowid = rowid
        guard let text = row.bytes(0) else { throw StorageError(.badRequest, "The revision has no ID.") }
        id = try unsafe RevisionID(text: text.span.bytes)
        guard id.generation <= RevisionID.maximumForeignGeneration else {
            throw StorageError(.badRequest, "The generation is too high.")
        }
        parent = row.integer(1)
        isCurrent = row.flag(2)
        isDeleted = row.flag(3)
        hasBody = row.flag(4)
    }
}
