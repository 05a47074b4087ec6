/// When edits are to be saved by themselves: when none came for a while, but not put off for ever.
struct AutosaveSchedule: Sendable {
    var delay: Duration = .milliseconds(100)
    /// How many delays a burst may last before it is saved all the same.
    static let longestBurst = 20

    private var first: ContinuousClock.Instant?
    private var last: ContinuousClock.Instant?
    private var isTicking = false

    /// How long to wait before a save is tried again that failed for a reason that may pass.
    static let shortestPause: Duration = .seconds(1)
    static let longestPause: Duration = .seconds(60)
    private var pause = shortestPause
    private var isPausing = false

    /// An autosave is under way. There is one at a time: each may wait long for its turn to write.
    private var isSaving = false

    /// Begins an autosave. False where one is under way.
    mutating func begin() -> Bool {
        guard !isSaving else { return false }
        isSaving = true
        return true
    }

    mutating func end() { isSaving = false }

    /// Notes a save that failed for a reason that may pass; says how long to wait before the next try, nil where
    /// somebody waits already.
    mutating func noteFailure() -> Duration? {
        guard !isPausing else { return nil }
        isPausing = true
        defer { pause = min(pause * 2, AutosaveSchedule.longestPause) }
        return pause
    }

    /// The pause is over.
    mutating func endPause() { isPausing = false }

    mutating func noteSuccess() { pause = AutosaveSchedule.shortestPause }

    /// Notes an edit; says how long to wait for the next `due`, nil where somebody waits already.
    mutating func noteEdit() -> Duration? {
        let now = ContinuousClock.now
        last = now
        first = first ?? now
        guard !isTicking else { return nil }
        isTicking = true
        return delay
    }

    /// Whether it is time to save; else how long to wait again.
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

    /// The burst is being saved.
    mutating func reset() {
        first = nil
        last = nil
    }
}
