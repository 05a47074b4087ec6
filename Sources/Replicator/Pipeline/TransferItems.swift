/// A row of the feed on its way.
struct FeedRow: Sendable {
    /// Its number in the done prefix.
    var number: Int
    var document: ChangedDocument
}

/// Revisions of a row that are to be read from the source.
struct FetchItem: Sendable {
    var number: Int
    var wish: RevisionWish
}

/// A revision that was read and is to be written.
struct ArrivedRevision: Sendable {
    var number: Int
    var revision: TransferredRevision
    /// What it takes of the byte budget.
    var bytes: Int
}
