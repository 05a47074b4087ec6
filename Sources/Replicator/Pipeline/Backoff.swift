/// How long to wait before something is tried again.
enum Backoff {
    /// A random time up to `first`, doubled for each attempt before (full jitter), but no less than the peer asks for.
    ///
    /// - Parameter attempt: 0 for the first repetition.
    static func delay(
        _ attempt: Int,
        first: Duration,
        longest: Duration,
        retryAfter: Duration? = nil
    ) -> Duration {
        let highest = min(first * (1 << min(attempt, 20)), longest)
        let jitter = highest * Double.random(in: 0...1)
        // A peer that asks for hours is asked again earlier.
        return max(jitter, min(retryAfter ?? .zero, longest))
    }
}
