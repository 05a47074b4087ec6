/// Decides when edits are saved automatically: once no more came for a while, but not postponed forever.
struct AutosaveSchedule: Sendable {
    var delay: Duration = .milliseconds(100)
    /// How many delays a burst may last before it is saved anyway.
    static let longestBurst = 20

    private var first: ContinuousClock.Instant?
    private var last: ContinuousClock.Instant?
    private var isTicking = false

    /// How long to wait before retrying a save that failed for a temporary reason.
    static let shortestPause: Duration = .seconds(1)
    static let longestPause: Duration = .seconds(60)
    private var pause = shortestPause
    private var isPausing = false

    /// Whether an autosave is running. Only one runs at a time, because each may wait long for its turn to write.
    private var isSaving = false

    /// Begins an autosave. Returns false if one is running.
    mutating func begin() -> Bool {
        guard !isSaving else { return false }
        isSaving = true
        return true
    }

    mutating func end() { isSaving = false }

    /// Notes a save that failed for a temporary reason. Returns how long to wait before the next try; nil if a retry is
    /// already pending.
    mutating func noteFailure() -> Duration? {
        guard !isPausing else { return nil }
        isPausing = true
        defer { pause = min(pause * 2, AutosaveSchedule.longestPause) }
        return pause
    }

    /// Ends the pause.
    mutating func endPause() { isPausing = false }

    mutating func noteSuccess() { pause = AutosaveSchedule.shortestPause }

    /// Notes an edit. Returns how long to wait before calling `due`; nil if such a call is already pending.
    mutating func noteEdit() -> Duration? {
        let now = ContinuousClock.now
        last = now
        first = first ?? now
        guard !isTicking else { return nil }
        isTicking = true
        return delay
    }

    /// Returns nil if it is time to save or there is nothing to save; else how long to wait before the next call.
    mutating func due() -> Duration? {
        guard let first, let last else {
            isTicking = false
            return nil
        }
        let wait = ContinuousClock.now.duration(to: min(last + delay, first + delay * AutosaveSchedule.longestBurst))
        if wait > .zero { return wait }
        if isSaving { return delay }
        reset()
        isTicking = false
        return nil
    }

    /// Notes that the burst is being saved.
    mutating func reset() {
        first = nil
        last = nil
    }
}
