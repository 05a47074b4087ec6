public import SetteeDocumentValues
public import SetteeEngine

/// What becomes of a conflict that pulled revisions make. Resolving happens after they are stored, and makes new
/// revisions, which are pushed like others.
///
/// If several peers resolve conflicts, give all of them the same resolver. Different ones come to an end, too: from the
/// fourth conflict of a document in an hour the revision that wins anyway is kept, and after ten its conflict stays.
public enum ConflictResolver: Sendable {
    /// The revision that was here before stays.
    case mine
    /// The revision that was pulled stays.
    case theirs
    /// The revision with the longer history stays; of two with the same, the one that wins without a resolver.
    case moreChanges
    /// The closure makes the body from the conflicting revisions, of which the first is the current one.
    case merge(@Sendable (_ conflicting: [SavedRevision]) throws -> JSONObject)
}
