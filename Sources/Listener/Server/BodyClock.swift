internal import NIOCore

/// Decides whether a client sends its body fast enough.
///
/// The clock runs while the server reads. It allows the grace plus one second for each `rate` bytes that have come, so
/// that a client that keeps up with the rate is never cut, and one that stops is after the grace and what it saved.
struct BodyClock {
    let rate: Int
    let grace: TimeAmount
    private var bytes = 0
    private var waited = TimeAmount.zero
    private var start: NIODeadline?

    init(rate: Int, grace: TimeAmount) {
        self.rate = max(1, rate)
        self.grace = grace
    }

    /// When the client is too slow unless more bytes come; nil while the clock stands.
    var deadline: NIODeadline? { start.map { $0 + (allowed - waited) } }

    /// Starts the clock, if it stands.
    mutating func run(at now: NIODeadline) {
        if start == nil { start = now }
    }

    /// Stops the clock, if it runs.
    mutating func stand(at now: NIODeadline) {
        guard let begin = start.take() else { return }
        waited = waited + (now - begin)
    }

    mutating func add(bytes count: Int) { bytes += count }

    private var allowed: TimeAmount {
        let (whole, rest) = bytes.quotientAndRemainder(dividingBy: rate)
        // Beyond a day nobody waits; the product stays in its range.
        let seconds = min(Int64(whole), 86_400)
        return grace + .seconds(seconds) + .nanoseconds(Int64(Double(rest) / Double(rate) * 1e9))
    }
}
