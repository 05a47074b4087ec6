/// What the types do not say of a file that comes from outside. After it, no reader of the values can fail on them.
extension BenchmarkFile {
    private static let mostResults = 10_000
    private static let mostRounds = 1000
    private static let mostPointsOfCurve = 10_000
    /// No machine gets near it, and sums and quotients of such figures stay finite.
    private static let highest = 1e18
    private static let lowest = 1e-18

    func check() throws(BenchmarkFileError) {
        guard results.count <= BenchmarkFile.mostResults else {
            throw .notOfTheForm("results has more than \(BenchmarkFile.mostResults) entries")
        }
        var keys: Set<BenchmarkEntry.Key> = []
        for (index, entry) in results.enumerated() {
            let place = "results[\(index)]"
            try BenchmarkFile.check(entry, at: place)
            guard keys.insert(entry.key).inserted else {
                throw .notOfTheForm("\(place) has the engine, workload and documents of an entry before it")
            }
        }
    }

    private static func check(_ entry: BenchmarkEntry, at place: String) throws(BenchmarkFileError) {
        guard !entry.engine.isEmpty, !entry.workload.isEmpty else {
            throw .notOfTheForm("\(place) has an engine or a workload without a name")
        }
        guard entry.documents >= 0, entry.operations >= 0 else {
            throw .notOfTheForm("\(place) has documents or operations below 0")
        }
        try check(entry.figures, at: place)
        guard entry.rounds.count <= mostRounds else {
            throw .notOfTheForm("\(place).rounds has more than \(mostRounds) entries")
        }
        for (index, round) in entry.rounds.enumerated() {
            try check(round.figures, at: "\(place).rounds[\(index)]")
        }
        try check(curve: entry.latency?.curve ?? [], at: "\(place).latencyCurve")
    }

    private static func check(_ figures: [(String, Double?)], at place: String) throws(BenchmarkFileError) {
        for (name, figure) in figures {
            guard let figure else { continue }
            guard figure >= 0 else { throw .notOfTheForm("\(place).\(name) is below 0") }
            guard figure <= highest else { throw .notOfTheForm("\(place).\(name) is above 10^18") }
            guard figure == 0 || figure >= lowest else {
                throw .notOfTheForm("\(place).\(name) is above 0 and below 10^-18")
            }
        }
    }

    private static func check(curve: [[Double]], at place: String) throws(BenchmarkFileError) {
        guard curve.count <= mostPointsOfCurve else {
            throw .notOfTheForm("\(place) has more than \(mostPointsOfCurve) entries")
        }
        var last = [0.0, 0.0]
        for (index, pair) in curve.enumerated() {
            guard pair.count == 2, pair[0] >= last[0], pair[1] >= last[1], pair[0] <= 100, pair[1] <= highest else {
                throw .notOfTheForm("\(place)[\(index)] is not a percentile and microseconds, both ascending")
            }
            last = pair
        }
    }
}

extension BenchmarkEntry {
    fileprivate var figures: [(String, Double?)] {
        [
            ("opsPerSecond", opsPerSecond), ("opsPerSecondMinimum", opsPerSecondMinimum),
            ("opsPerSecondMaximum", opsPerSecondMaximum), ("baselineOpsPerSecond", baselineOpsPerSecond),
            ("ratio", ratio), ("cpuRatio", cpuRatio), ("cpuMicroseconds", cpuMicroseconds),
            ("bytesWritten", bytesWritten), ("writeAmplification", writeAmplification), ("peakMemory", peakMemory),
            ("bytesOnDisk", bytesOnDisk), ("bytesBefore", bytesBefore), ("p50", latency?.p50), ("p99", latency?.p99),
            ("p999", latency?.p999), ("maximum", latency?.maximum), ("idleP99", idleP99),
        ]
    }
}

extension BenchmarkRound {
    fileprivate var figures: [(String, Double?)] {
        [
            ("opsPerSecond", opsPerSecond), ("cpuMicroseconds", cpuMicroseconds),
            ("baselineOpsPerSecond", baselineOpsPerSecond), ("baselineCPUMicroseconds", baselineCPUMicroseconds),
            ("bytesWritten", bytesWritten), ("writeAmplification", writeAmplification), ("peakMemory", peakMemory),
            ("bytesOnDisk", bytesOnDisk), ("bytesBefore", bytesBefore),
        ]
    }
}
