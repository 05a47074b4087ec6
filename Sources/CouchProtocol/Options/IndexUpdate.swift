/// When an index is brought up to date for a query: `update`, or `stale` as older clients say it.
public enum IndexUpdate: String, Sendable, CaseIterable {
    /// Before it is read.
    case before = "true"
    /// Not because of this query. `stale=ok`.
    case never = "false"
    /// After it was read. `stale=update_after`.
    case after = "lazy"
}
