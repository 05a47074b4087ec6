/// What the log beside the data of a store holds, for a process that cannot write to the store.
public enum PendingLog: Sendable {
    /// There is no log: everything is in the data.
    case none
    /// There is an empty log. Readers go through it as long as there may be writers.
    case empty
    /// There is a log with content, which the engine can read without writing.
    case readable
    /// There is a log with content, which only a process that can write can read.
    case unreadable
}
