internal import SetteeDocumentValues
internal import StorageProtocol

/// A `document` line with the `store` line behind it.
struct ExportedDocument {
    /// One revision, as the lines have it.
    struct Revision {
        var id: RevisionID
        var parent: Int?
        var isDeleted = false
        /// Whether a body line belongs to it.
        var hasBody = false
        /// What the store says of it.
        var sequence: UInt64 = 0
        var flags: UInt64 = 0
    }

    /// What a tree says of a body.
    struct BodyFacts {
        var hasAttachments: Bool
        var checksum: UInt32
    }

    var id: DocumentID
    var expiration: Int64?
    var revisions: [Revision]
    /// Whether there was a `store` line.
    var hasStore = false

    /// The sequence of the document's record.
    var sequence: UInt64 { revisions.lazy.map(\.sequence).max() ?? 0 }

    /// A revision and its ancestors, newest first.
    static func history(of index: Int, in revisions: [Revision]) -> [RevisionID] {
        var history: [RevisionID] = []
        var next: Int? = index
        // No history is longer than the tree.
        while let place = next, revisions.indices.contains(place), history.count < revisions.count {
            history.append(revisions[place].id)
            next = revisions[place].parent
        }
        return history
    }

    /// Its tree.
    ///
    /// - Parameters:
    ///   - sequences: the sequence of each revision.
    ///   - bodies: what is known of each revision's body; nil where it has none in the export.
    func tree(sequences: [UInt64], bodies: [BodyFacts?]) throws(StorageError) -> RevisionTree {
        try RevisionTree(
            parts: revisions.indices.map { index in
                let revision = revisions[index]
                return RevisionTree.Part(
                    id: revision.id,
                    parent: revision.parent,
                    isDeleted: revision.isDeleted,
                    hasBody: revision.hasBody || revision.flags & NeutralFormat.flagBody != 0,
                    hasAttachments: bodies[index]?.hasAttachments
                        ?? (revision.flags & NeutralFormat.flagAttachments != 0),
                    sequence: sequences[index],
                    bodyChecksum: bodies[index]?.checksum
                )
            }
        )
    }
}
