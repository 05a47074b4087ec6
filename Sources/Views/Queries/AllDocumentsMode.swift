internal import SetteeEngine

/// Which documents a query over all documents gives. Keys and document IDs are the same there; the value is an object
/// with `rev`, the current revision's ID, and `deleted` for tombstones.
public enum AllDocumentsMode: String, Sendable, Hashable, CaseIterable {
    /// Live ones, by ID.
    case allDocs
    /// Tombstones too.
    case includeDeleted
    /// Live ones, by ID; the value has `conflicts` too, the IDs of all live leaves, where there are several.
    case showConflicts
    /// As `showConflicts`, but only documents with conflicts.
    case onlyConflicts
    /// Live ones in the order of their sequences. `startKey` and `endKey` are sequences.
    case bySequence
}
