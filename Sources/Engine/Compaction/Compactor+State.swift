internal import StorageProtocol

extension Compactor {
    /// What is in progress, and when the next automatic rewrite may begin.
    struct State {
        var database: DatabaseReference?
        /// The requested threshold.
        var wanted: Double?
        /// The same if the engine supports it; nil: nothing is rewritten automatically.
        var threshold: Double?
        var isStopped = false
        /// Whether the database is being rewritten in another way.
        var isPaused = false
        var run: CompactionRun?
        /// Whether a check of the store was due during the run.
        var isLookMissed = false
        /// No automatic rewrite begins before this time.
        var notBefore: ContinuousClock.Instant?
        /// Unless the files have reached that many bytes; nil: whatever their size.
        var unlessBytes: UInt64?
        var retryPause = RetryPause()
        /// The logged reason of the last failure.
        var told: StorageError.Code?
        /// Whether the writers outran the last one: the next one makes no pauses.
        var isRushed = false
        var prevented: String?
        var last: CompactionStatus.Rewrite?
    }
}

extension Compactor.State {
    /// - Returns: false if it is already paused.
    mutating func pause() -> Bool {
        defer { isPaused = true }
        return !isPaused
    }

    /// Whether the store may be checked now. If a run is in progress, that is done after it.
    mutating func mayLook() -> Bool {
        if run != nil { isLookMissed = true }
        return run == nil
    }

    /// No run is in progress.
    ///
    /// - Returns: whether a check of the store was due meanwhile.
    mutating func endRun() -> Bool {
        defer { isLookMissed = false }
        run = nil
        return isLookMissed
    }

    /// Notes how a run ended.
    ///
    /// - Returns: when to check again even if nothing is committed.
    mutating func note(_ result: Result<CompactionStatus.Rewrite, StorageError>, isAsked: Bool) -> Duration? {
        switch result {
        case .success(let rewrite):
            last = rewrite
            prevented = nil
            retryPause.end()
            told = nil
            isRushed = false
            // If hardly anything was given back although much seemed free, the next one would not give back more.
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

    /// Whether a failure is of another kind than the one logged last, since the last success.
    mutating func isNew(_ code: StorageError.Code) -> Bool {
        defer { told = code }
        return told != code
    }
}
