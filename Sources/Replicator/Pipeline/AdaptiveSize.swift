/// How many things a request has: fewer after one that was slow or too large.
struct AdaptiveSize: Sendable {
    let largest: Int
    private(set) var current: Int
    private let slow: Duration

    /// - Parameter first: That of the first request; nil: the largest.
    init(_ largest: Int, from first: Int? = nil, slow: Duration) {
        self.largest = largest
        self.slow = slow
        current = min(first ?? largest, largest)
    }

    /// A request of `count` has succeeded.
    mutating func succeeded(_ count: Int, in time: Duration) {
        if time > slow {
            shrink(from: count)
        } else if count >= current {
            current = min(largest, current + max(1, largest / 8))
        }
    }

    /// A request of `count` has failed.
    mutating func failed(_ count: Int, _ error: PeerError) {
        if error.kind == .tooLarge || error.status == 429 || error.status == 503 { shrink(from: count) }
    }

    private mutating func shrink(from count: Int) { current = max(1, min(current, count) / 2) }
}
