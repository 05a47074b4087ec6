public import SetteeDocumentValues

/// Decides whether a revision is passed on: by a feed of changes, or by replication.
///
/// - Parameters:
///   - revision: the current revision or another leaf. It may be a tombstone.
///   - parameters: what the caller gave for this run, such as `{"name": "Waldo"}`.
public typealias Filter = @Sendable (_ revision: SavedRevision, _ parameters: JSONObject) throws -> Bool

/// A filter function of a database.
public struct NamedFilter: Sendable {
    public let name: String
    /// Tells this function from another one of the same name, today or in an earlier program.
    public let version: String
    public let function: Filter
}
