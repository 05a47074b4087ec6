internal import SetteeEngine

/// Which documents a query over all documents returns. A row's key is the document's ID. Its value is an object with
/// `rev`, the current revision's ID, and `deleted` for tombstones.
public enum AllDocumentsMode: String, Sendable, Hashable, CaseIterable {
    /// Live documents, by ID.
    case allDocs
    /// Tombstones, too.
    case includeDeleted
    /// Live documents, by ID. For documents with conflicts the value also has `conflicts`, the IDs of all live leaves.
    case showConflicts
    /// Like `showConflicts`, but only documents with conflicts.
    case onlyConflicts
    /// Live documents in the order of their sequences. `startKey` and `endKey` are sequences.
    case bySequence
}
