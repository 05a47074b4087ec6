/// When edits are to be saved by themselves: when none came for a while, but not put off for ever.
struct AutosaveSchedule: Sendable {
    var delay: Duration = .milliseconds(100)
    /// How many delays a burst may last before it is saved all the same.
    static let longestBurst = 20

    private var first: ContinuousClock.Instant?
    private var last: ContinuousClock.Instant?
    private var isTicking = false

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
