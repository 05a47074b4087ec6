/// Revisions of a document that one side has.
struct OfferedDocument: Sendable, Equatable {
    var id: String
    var revisions: [String]
}

/// What the other side lacks of them.
struct LackedRevisions: Sendable, Equatable {
    var missing: [String]
    /// Revisions that it has, and that may be ancestors of those.
    var possibleAncestors: [String]
}
