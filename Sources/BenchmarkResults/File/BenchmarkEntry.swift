/// One workload on one engine with one number of documents: what is stated of its rounds.
public struct BenchmarkEntry: Codable, Equatable, Sendable {
    public var engine: String
    public var workload: String
    /// `write`, `read`, `query`, `mix`, `attachment`, `space` or `life`: which chart it is drawn in.
    public var group: String
    /// What an operation is, in the plural: `documents`, `rows`, `openings`.
    public var unit: String
    public var documents: Int
    /// How many operations a round had.
    public var operations: Int
    public var opsPerSecond: Double
    public var opsPerSecondMinimum: Double?
    public var opsPerSecondMaximum: Double?
    public var baselineOpsPerSecond: Double?
    public var ratio: Double?
    public var cpuRatio: Double?
    /// What the counterpart is; nil without one.
    public var baseline: String?
    /// What of the work the counterpart leaves out; nil: nothing.
    public var baselineLeavesOut: String?
    public var cpuMicroseconds: Double?
    public var bytesWritten: Double?
    public var writeAmplification: Double?
    public var peakMemory: Double?
    public var bytesOnDisk: Double?
    public var bytesBefore: Double?
    public var latency: Latency?
    /// Microseconds of the 99th percentile of the same operation with no other work.
    public var idleP99: Double?
    public var rounds: [BenchmarkRound]

    /// How long one operation took, in microseconds.
    public struct Latency: Equatable, Sendable {
        /// `operation` or `transaction`.
        public var of: String
        public var p50: Double
        public var p99: Double
        public var p999: Double
        public var maximum: Double
        /// Pairs of a percentile (0 to 100) and microseconds, both ascending.
        public var curve: [[Double]]

        public init(of: String, p50: Double, p99: Double, p999: Double, maximum: Double, curve: [[Double]]) {
            self.of = of
            self.p50 = p50
            self.p99 = p99
            self.p999 = p999
            self.maximum = maximum
            self.curve = curve
        }
    }

    /// States the medians of `rounds`.
    public init(
        engine: String,
        workload: String,
        group: String,
        unit: String,
        documents: Int,
        operations: Int,
        rounds: [BenchmarkRound],
        baseline: String? = nil,
        baselineLeavesOut: String? = nil,
        latency: Latency? = nil,
        idleP99: Double? = nil
    ) {
        let rates = rounds.map(\.opsPerSecond)
        self.engine = engine
        self.workload = workload
        self.group = group
        self.unit = unit
        self.documents = documents
        self.operations = operations
        self.rounds = rounds
        self.baseline = baseline
        self.baselineLeavesOut = baselineLeavesOut
        self.latency = latency
        self.idleP99 = idleP99
        opsPerSecond = median(rates) ?? 0
        opsPerSecondMinimum = rates.min()
        opsPerSecondMaximum = rates.max()
        baselineOpsPerSecond = median(rounds.compactMap(\.baselineOpsPerSecond))
        ratio = median(rounds.compactMap(\.ratio))
        cpuRatio = median(rounds.compactMap(\.cpuRatio))
        cpuMicroseconds = median(rounds.compactMap(\.cpuMicroseconds))
        bytesWritten = median(rounds.compactMap(\.bytesWritten))
        writeAmplification = median(rounds.compactMap(\.writeAmplification))
        peakMemory = median(rounds.compactMap(\.peakMemory))
        bytesOnDisk = median(rounds.compactMap(\.bytesOnDisk))
        bytesBefore = median(rounds.compactMap(\.bytesBefore))
    }
}
