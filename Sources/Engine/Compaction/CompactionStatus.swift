public import Foundation

/// What rewriting the files of a database is about, as of now.
public struct CompactionStatus: Sendable {
    /// The share of the files that must be free for them to be rewritten by themselves, above 0 and up to 1. Nil where
    /// that does not happen: it is switched off, the database is in memory or open read-only, or its engine does not
    /// know how.
    public var threshold: Double?
    /// Whether a rewrite is going on.
    public var isRunning: Bool
    /// How much of it is done, from 0 to 1; nil where none is going on.
    public var progress: Double?
    /// Why the last attempt, by request or not, came to nothing: who has the database open, or what failed. Nil where
    /// it did not, and while another one is going on.
    public var prevented: String?
    /// The last rewrite since the database was opened.
    public var last: Rewrite?

    /// A rewrite that is over.
    public struct Rewrite: Sendable, Equatable {
        /// When the new files were switched to.
        public var finished: Date
        /// From beginning to switch.
        public var duration: Duration
        /// Bytes of the engine's files before.
        public var bytesBefore: UInt64
        /// The same after.
        public var bytesAfter: UInt64
    }

    init() { isRunning = false }
}
