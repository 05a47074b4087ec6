internal import SetteeEngine
internal import SetteeIndexes

/// When a query updates the index.
public enum UpdateMode: String, Sendable, Hashable {
    /// Before it reads. The result shows the database as it was when the query began, or later.
    case before
    /// Never. The result shows the index as it is: empty if it was never built, and that of an older version until the
    /// index of the current version is complete.
    case never
    /// After the query, in the background. The result is as with `never`.
    case after

    /// How the index is read.
    var indexMode: ReadableIndex.Mode { self == .before ? .upToDate : .asItIs }
}
