internal import StorageProtocol

/// How long automatic rewriting waits after a failed attempt: twice as long each time.
struct RetryPause {
    static let first = Duration.seconds(2)
    /// The longest pause after failures that may pass: others have the database open, or outran the copy; the disk is
    /// full.
    static let longest = Duration.seconds(120)
    /// The longest pause after a failure of the store, which hardly passes, and after which everything was copied in
    /// vain.
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
