internal import StorageProtocol

/// How long rewriting by itself waits after an attempt that came to nothing: each time twice as long as the time
/// before.
struct RetryPause {
    static let first = Duration.seconds(2)
    /// The most after what may pass: others have the database open, or outran the copy; the disk is full.
    static let longest = Duration.seconds(120)
    /// The most after a failure of the store, which hardly passes: all that was copied until then was copied in vain.
    static let longestOfFailure = Duration.seconds(3600)

    private var last: Duration?

    mutating func next(after code: StorageError.Code) -> Duration {
        let lasts = code.isStorageFailure && code != .full && !code.isRetryable
        let pause = min(last.map { $0 * 2 } ?? Self.first, lasts ? Self.longestOfFailure : Self.longest)
        last = pause
        return pause
    }

    /// An attempt has succeeded.
    mutating func end() { last = nil }
}
