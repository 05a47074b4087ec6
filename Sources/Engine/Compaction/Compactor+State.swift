internal import StorageProtocol

extension Compactor {
    /// What goes on, and when the next rewrite may begin by itself.
    struct State {
        var database = WeakDatabase(nil)
        /// What was asked for.
        var wanted: Double?
        /// The same where the engine can do so; nil: nothing happens by itself.
        var threshold: Double?
        var isStopped = false
        /// Whether the database is being written anew by other means.
        var isPaused = false
        var run: CompactionRun?
        /// Nothing begins by itself before this time.
        var notBefore: ContinuousClock.Instant?
        /// Except where the files have come to that many bytes; nil: however large they are.
        var unlessBytes: UInt64?
        var retryPause = RetryPause()
        /// What was logged as the reason of the last failure.
        var told: StorageError.Code?
        /// Whether the writers have outrun the last one: the next one makes no pauses.
        var isRushed = false
        var prevented: String?
        var last: CompactionStatus.Rewrite?
    }
}

extension Compactor.State {
    /// - Returns: false where it is paused already.
    mutating func pause() -> Bool {
        defer { isPaused = true }
        return !isPaused
    }

    /// Notes how a run ended.
    ///
    /// - Returns: when it is worth while to look again though nothing is committed.
    mutating func note(_ result: Result<CompactionStatus.Rewrite, StorageError>, isAsked: Bool) -> Duration? {
        switch result {
        case .success(let rewrite):
            last = rewrite
            prevented = nil
            retryPause.end()
            told = nil
            isRushed = false
            // Where hardly anything was given back though much seemed free, the next one would not give more.
            let gaveLittle = !isAsked && rewrite.bytesAfter > rewrite.bytesBefore / 4 &* 3
            notBefore = .now + (gaveLittle ? Compactor.rest : max(.seconds(1), rewrite.duration * 4))
            unlessBytes = gaveLittle ? rewrite.bytesAfter &* 2 : nil
            return nil
        case .failure(let error):
            guard error.code != .notOpen else { return nil }
            prevented = error.message
            isRushed = error.code == .conflict
            let wait = retryPause.next(after: error.code)
            notBefore = .now + wait
            unlessBytes = nil
            return wait
        }
    }

    /// Whether a failure is of another kind than the one that was logged last, since the last success.
    mutating func isNew(_ code: StorageError.Code) -> Bool {
        defer { told = code }
        return told != code
    }
}
