public import StorageProtocol

/// The revisions that `open_revs` asks for.
public enum OpenRevisions: Equatable, Sendable {
    /// All leaves.
    case all
    /// These, in this order.
    case list([RevisionID])
}
