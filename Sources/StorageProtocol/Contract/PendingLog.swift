/// What a store that nobody can write to here has in a log beside its data: what somebody finds who can only read.
public enum PendingLog: Sendable {
    /// All is in the data.
    case none
    /// There is a log, without content. Who reads goes through it, as long as there may be writers.
    case empty
    /// There is a log with content, which the engine can read through without writing.
    case readable
    /// There is a log with content, which takes somebody who can write.
    case unreadable
}
