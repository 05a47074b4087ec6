/// What one round of a workload on an engine measured.
public struct BenchmarkRound: Codable, Equatable, Sendable {
    public var opsPerSecond: Double
    /// Processor time of one operation, of all threads; nil where another thread's work is in it.
    public var cpuMicroseconds: Double?
    public var baselineOpsPerSecond: Double?
    public var baselineCPUMicroseconds: Double?
    /// Bytes passed to the system to write, by operation.
    public var bytesWritten: Double?
    /// The same by byte of document.
    public var writeAmplification: Double?
    /// The most memory of the process's own above what it had at the start, in bytes.
    public var peakMemory: Double?
    /// The size of the database's files after the run.
    public var bytesOnDisk: Double?
    /// The size before it.
    public var bytesBefore: Double?

    public init(opsPerSecond: Double) { self.opsPerSecond = opsPerSecond }

    /// The rate by that of the counterpart; nil without one.
    public var ratio: Double? {
        guard let baselineOpsPerSecond, baselineOpsPerSecond > 0 else { return nil }
        return opsPerSecond / baselineOpsPerSecond
    }

    /// The same of rates by second of processor time.
    public var cpuRatio: Double? {
        guard let cpuMicroseconds, let baselineCPUMicroseconds, cpuMicroseconds > 0 else { return nil }
        return baselineCPUMicroseconds / cpuMicroseconds
    }
}
