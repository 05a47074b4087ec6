/// How long to wait before something is tried again.
enum Backoff {
    private static let mostAsked = Duration.seconds(300)

    /// A random time up to `first`, doubled for each attempt before (full jitter), but no less than the peer asks for.
    ///
    /// - Parameter attempt: 0 for the first repetition.
    ///   A peer that asks for more than five minutes is asked again after these.
    static func delay(
        _ attempt: Int,
        first: Duration,
        longest: Duration,
        retryAfter: Duration? = nil
    ) -> Duration {
        let highest = min(first * (1 << min(attempt, 20)), longest)
        let jitter = highest * Double.random(in: 0...1)
        return max(jitter, min(retryAfter ?? .zero, max(longest, mostAsked)))
    }
}
