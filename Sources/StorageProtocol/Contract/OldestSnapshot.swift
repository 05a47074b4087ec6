/// The oldest open snapshot of a store, as far as the engine can tell.
public enum OldestSnapshot: Sendable, Equatable {
    /// The engine does not keep track of snapshots, or not of those of all processes. The database folder's record is
    /// used instead.
    case notKept
    /// There is no open snapshot.
    case none
    /// There is a snapshot with this change counter, and none with a lower one.
    case changeCounter(UInt64)
}
