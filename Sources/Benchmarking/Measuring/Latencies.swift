internal import Histogram
internal import SetteeBenchmarkResults

/// How long single operations took: a histogram of nanoseconds with three digits (HdrHistogram), of fixed size.
struct Latencies {
    /// An hour. What takes longer counts as an hour.
    private static let longest: UInt64 = 3_600_000_000_000

    private var histogram = Histogram<UInt32>(highestTrackableValue: longest, numberOfSignificantValueDigits: .three)

    var count: UInt64 { histogram.totalCount }

    mutating func time<R>(_ operation: () throws -> R) rethrows -> R {
        let start = Stopwatch.nanoseconds()
        let result = try operation()
        record(Stopwatch.nanoseconds() - start)
        return result
    }

    mutating func record(_ nanoseconds: UInt64) {
        _ = histogram.record(max(1, min(nanoseconds, Latencies.longest)))
    }

    mutating func add(_ other: Latencies) { histogram.add(other.histogram) }

    /// The 99th percentile in microseconds; 0 if nothing was timed.
    var p99: Double { microseconds(99) }

    /// Returns the figures for a result file; nil if nothing was timed.
    func figures(of unit: String) -> BenchmarkEntry.Latency? {
        guard count > 0 else { return nil }
        // From the median on, in steps that halve what is left.
        var percentiles = [0.0, 25, 50]
        while 100 - percentiles[percentiles.count - 1] > 100 / Double(count), percentiles.count < 24 {
            percentiles.append(100 - (100 - percentiles[percentiles.count - 1]) / 2)
        }
        percentiles.append(100)
        return BenchmarkEntry.Latency(
            of: unit,
            p50: microseconds(50),
            p99: p99,
            p999: microseconds(99.9),
            maximum: microseconds(100),
            curve: percentiles.map { [$0, microseconds($0)] }
        )
    }

    private func microseconds(_ percentile: Double) -> Double {
        count == 0 ? 0 : Double(histogram.valueAtPercentile(percentile)) / 1000
    }
}
