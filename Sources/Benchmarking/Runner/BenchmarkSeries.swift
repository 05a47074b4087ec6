internal import SetteeBenchmarkResults

/// The rounds of one workload on one engine.
struct BenchmarkSeries {
    private var rounds: [BenchmarkRound] = []
    private var latencies = Latencies()
    private var idle: [Double] = []
    private var operations = 0
    private var baseline: String?

    mutating func add(_ run: Measurement, counterpart: (rate: Double, cpu: Double?, name: String)?) {
        var round = run.round
        round.baselineOpsPerSecond = counterpart?.rate
        round.baselineCPUMicroseconds = counterpart?.cpu
        baseline = counterpart?.name ?? baseline
        rounds.append(round)
        latencies.add(run.latencies)
        operations = run.work.operations
        if let p99 = run.work.idleP99 { idle.append(p99) }
    }

    func entry(_ workload: Workload, on engine: String, documents: Int) -> BenchmarkEntry {
        BenchmarkEntry(
            engine: engine,
            workload: workload.name,
            group: workload.group.rawValue,
            unit: workload.unit,
            documents: documents,
            operations: operations,
            rounds: rounds,
            baseline: baseline,
            baselineLeavesOut: baseline == nil ? nil : workload.baseline?.leavesOut,
            latency: latencies.figures(of: workload.latencyOf),
            idleP99: median(idle)
        )
    }
}

/// What one run measured.
struct Measurement {
    var round: BenchmarkRound
    var latencies: Latencies
    var work: Workload.Work
}
