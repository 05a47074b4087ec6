internal import SetteeEngine

/// When a query has the index brought up to date.
public enum UpdateMode: String, Sendable, Hashable {
    /// Before it reads: the result shows the database as it was when the query began, or later.
    case before
    /// Not at all: the result shows the index as it is, an empty one where it was never built, an older version's until
    /// the present one's is complete.
    case never
    /// As never; the index is brought up to date in the background afterwards.
    case after
}
