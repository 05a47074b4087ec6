/// The oldest snapshot that anybody has of a store, as far as the engine knows.
public enum OldestSnapshot: Sendable, Equatable {
    /// The engine keeps no account, or not of all processes: the database folder's is asked.
    case notKept
    /// Nobody has one.
    case none
    /// There is one of this change counter, and none of a lower one.
    case changeCounter(UInt64)
}
