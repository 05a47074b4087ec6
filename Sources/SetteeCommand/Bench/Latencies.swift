/// How long single operations took.
struct Latencies {
    private var nanoseconds: [Int64] = []

    var count: Int { nanoseconds.count }

    mutating func time(_ operation: () throws -> Void) rethrows {
        let start = ContinuousClock.now
        try operation()
        let parts = (ContinuousClock.now - start).components
        nanoseconds.append(parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000)
    }

    /// The 99th percentile in microseconds; 0 if nothing was timed.
    var p99: Double {
        let sorted = nanoseconds.sorted()
        return sorted.isEmpty ? 0 : Double(sorted[sorted.count * 99 / 100]) / 1000
    }
}
