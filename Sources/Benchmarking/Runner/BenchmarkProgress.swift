/// How far a benchmark is.
public struct BenchmarkProgress: Sendable {
    /// How many runs are over, and how many there are.
    public var done: Int
    public var total: Int
    public var engine: String
    public var workload: String
    /// From 1; 0: the warm-up.
    public var round: Int
}
