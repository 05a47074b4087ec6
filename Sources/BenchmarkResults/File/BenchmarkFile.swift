/// The results of a run of `settee bench`, in the form of its output file (docs/reference/benchmarks.md).
public struct BenchmarkFile: Codable, Equatable, Sendable {
    /// The form that this version writes, and the highest that it reads.
    public static let format = 1

    public var format = BenchmarkFile.format
    public var environment: BenchmarkEnvironment
    public var results: [BenchmarkEntry]
    public var leftOut: [LeftOut]

    public init(environment: BenchmarkEnvironment, results: [BenchmarkEntry] = [], leftOut: [LeftOut] = []) {
        self.environment = environment
        self.results = results
        self.leftOut = leftOut
    }

    /// What was asked for and not measured.
    public struct LeftOut: Codable, Equatable, Sendable {
        public var engine: String
        /// Nil: all workloads.
        public var workload: String?
        public var reason: String

        public init(engine: String, workload: String? = nil, reason: String) {
            self.engine = engine
            self.workload = workload
            self.reason = reason
        }
    }
}
