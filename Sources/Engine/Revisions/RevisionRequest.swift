package import StorageProtocol

/// What is wanted of one document in a bulk read.
package struct RevisionRequest: Sendable {
    package enum Selection: Sendable, Equatable {
        /// The current revision, unless it is a tombstone.
        case current
        /// All leaves, tombstones included, in the order in which they win.
        case leaves
        /// The revisions with these IDs.
        case revisions([RevisionID])
    }

    package var documentID: DocumentID
    package var selection: Selection
    /// Whether the leaves that follow a selected revision are wanted instead of it, if there are any.
    package var latest: Bool
    /// Revisions that the caller has: histories end with the first of them.
    package var knownAncestors: Set<RevisionID>

    package init(
        documentID: DocumentID,
        selection: Selection,
        latest: Bool = false,
        knownAncestors: Set<RevisionID> = []
    ) {
        self.documentID = documentID
        self.selection = selection
        self.latest = latest
        self.knownAncestors = knownAncestors
    }
}

/// A revision that a bulk read found.
package struct FoundRevision: Sendable, Equatable {
    package var documentID: DocumentID
    package var id: RevisionID
    /// The sequence under which it was stored.
    package var sequence: UInt64
    package var isDeleted: Bool
    package var hasAttachments: Bool
    /// The IDs of the revision and its ancestors, newest first.
    package var history: [RevisionID]
}

/// One answer to a `RevisionRequest`.
package enum RevisionAnswer: Sendable, Equatable {
    case found(FoundRevision)
    /// There is no such document, or it has no current revision that is not a tombstone.
    case noDocument
    /// The document has no such revision, or its body is gone.
    case missing(RevisionID)
}
