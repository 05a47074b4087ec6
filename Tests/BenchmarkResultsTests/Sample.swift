import SetteeBenchmarkResults
import StorageConformance

/// Files of results as a run would make them.
enum Sample {
    static let environment = BenchmarkEnvironment(
        settee: "1.2.0",
        commit: "793a341",
        build: "release",
        date: "2026-11-25T09:30:00Z",
        system: "Debian GNU/Linux 12, Linux 6.1.0",
        processor: "AMD EPYC 7B13",
        cores: 2,
        memoryBytes: 8_324_000_000,
        fileSystem: "ext4",
        libraries: ["SQLite": "3.40.1", "LMDB": "0.9.24"],
        durability: "processCrash",
        documentIDs: "ordered",
        data: "people",
        seed: 42,
        rounds: 3,
        commandLine: ["settee", "bench", "--output", "results.json"]
    )

    static func file(_ results: [BenchmarkEntry], leftOut: [BenchmarkFile.LeftOut] = []) -> BenchmarkFile {
        BenchmarkFile(environment: environment, results: results, leftOut: leftOut)
    }

    /// An entry of which only the rates of the rounds are known.
    static func entry(
        _ engine: String,
        _ workload: String = "insert-batch",
        group: String = "write",
        documents: Int = 10_000,
        rates: [Double] = [990, 1000, 1010]
    ) -> BenchmarkEntry {
        BenchmarkEntry(
            engine: engine,
            workload: workload,
            group: group,
            unit: "documents",
            documents: documents,
            operations: documents,
            rounds: rates.map(BenchmarkRound.init)
        )
    }

    /// An entry with every figure there is.
    static func full(
        _ engine: String,
        _ workload: String,
        group: String,
        documents: Int = 10_000,
        rate: Double,
        rounds count: Int = 3,
        using generator: inout SeededGenerator
    ) -> BenchmarkEntry {
        var rounds: [BenchmarkRound] = []
        for _ in 0..<count {
            var round = BenchmarkRound(opsPerSecond: rate * Double.random(in: 0.93...1.07, using: &generator))
            round.cpuMicroseconds = 0.8e6 / round.opsPerSecond
            round.baselineOpsPerSecond = rate * Double.random(in: 1.5...4, using: &generator)
            round.baselineCPUMicroseconds = 0.3e6 / round.opsPerSecond
            round.bytesWritten = Double.random(in: 400...4000, using: &generator)
            round.writeAmplification = Double.random(in: 1.1...9, using: &generator)
            round.peakMemory = Double(documents) * Double.random(in: 100...2000, using: &generator)
            round.bytesOnDisk = Double(documents) * Double.random(in: 300...700, using: &generator)
            if group == "space" {
                round.bytesBefore = Double(documents) * Double.random(in: 800...1800, using: &generator)
            }
            rounds.append(round)
        }
        let median = 1e6 / rate
        let steps: [(percentile: Double, factor: Double)] = [
            (0, 0.5), (25, 0.8), (50, 1), (75, 1.3), (90, 1.9), (95, 2.4), (99, 4.5), (99.5, 6), (99.9, 18),
            (99.95, 30),
            (99.99, 90), (100, 140),
        ]
        var curve: [[Double]] = []
        for step in steps {
            let value = median * step.factor * Double.random(in: 0.8...1.2, using: &generator)
            curve.append([step.percentile, max(value, curve.last?[1] ?? 0)])
        }
        return BenchmarkEntry(
            engine: engine,
            workload: workload,
            group: group,
            unit: "documents",
            documents: documents,
            operations: documents,
            rounds: rounds,
            baseline: "C over the same library",
            baselineLeavesOut: "revisions, checks of bodies",
            latency: BenchmarkEntry.Latency(
                of: "operation",
                p50: curve[2][1],
                p99: curve[6][1],
                p999: curve[8][1],
                maximum: curve[11][1],
                curve: curve
            ),
            idleP99: group == "mix" ? curve[4][1] : nil
        )
    }
}
