/// What a replicator does.
public struct ReplicatorStatus: Sendable {
    public enum Activity: String, Sendable {
        /// It does not run.
        case stopped
        /// It runs, and the other side cannot be reached. It tries again.
        case offline
        /// It opens both sides and reads the checkpoints.
        case connecting
        /// It waits for changes.
        case idle
        /// It passes documents on.
        case busy
    }

    /// How far it is, in documents of both directions.
    public struct Progress: Sendable, Equatable {
        /// Changed documents that have been dealt with since it started.
        public var completed: UInt64 = 0
        /// Those and the ones that are known to be left.
        public var total: UInt64 = 0

        public init(completed: UInt64 = 0, total: UInt64 = 0) {
            self.completed = completed
            self.total = total
        }
    }

    public var activity: Activity
    public var progress: Progress
    /// Why it stopped, or is offline; nil if nothing is wrong.
    public var error: ReplicationError?

    public init(activity: Activity, progress: Progress = Progress(), error: ReplicationError? = nil) {
        self.activity = activity
        self.progress = progress
        self.error = error
    }
}
