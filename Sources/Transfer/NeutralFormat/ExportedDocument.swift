internal import SetteeDocumentValues
internal import StorageProtocol

/// A `document` line and the `store` line after it.
struct ExportedDocument {
    /// A revision as written in the lines.
    struct Revision {
        var id: RevisionID
        var parent: Int?
        var isDeleted = false
        /// Whether it has a body line.
        var hasBody = false
        /// Its sequence in the store.
        var sequence: UInt64 = 0
        var flags: UInt64 = 0
    }

    /// What a tree stores about a body.
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

    /// Returns a revision and its ancestors, newest first.
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

    /// Returns its tree.
    ///
    /// - Parameters:
    ///   - sequences: The sequence of each revision.
    ///   - bodies: What is known of each revision's body; nil if it has none in the export.
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
