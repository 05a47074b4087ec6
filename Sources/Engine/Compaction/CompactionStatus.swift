public import Foundation

/// The current state of rewriting the files of a database.
public struct CompactionStatus: Sendable {
    /// The share of the files, above 0 and up to 1, that must be free for an automatic rewrite. Nil if there are none:
    /// they are switched off, the database is in memory or open read-only, or its engine does not support them.
    public var threshold: Double?
    /// Whether a rewrite is in progress.
    public var isRunning: Bool
    /// The part of it that is done, from 0 to 1; nil if none is in progress.
    public var progress: Double?
    /// Why the last attempt, requested or automatic, failed: which process has the database open, or what went wrong.
    /// Nil if it succeeded, and while another one is in progress.
    public var prevented: String?
    /// The last rewrite since the database was opened.
    public var last: Rewrite?

    /// A finished rewrite.
    public struct Rewrite: Sendable, Equatable {
        /// When the database switched to the new files.
        public var finished: Date
        /// The time from the beginning to the switch.
        public var duration: Duration
        /// The size of the engine's files before, in bytes.
        public var bytesBefore: UInt64
        /// The size after.
        public var bytesAfter: UInt64
    }

    init() { isRunning = false }
}
