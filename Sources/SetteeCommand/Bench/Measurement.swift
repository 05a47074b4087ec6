internal import SetteeSystemLibrary

/// What some operations took.
struct Measurement: Sendable {
    var opsPerSecond: Double
    /// Operations per second of processor time, all threads together: steadier than wall time on a busy machine.
    var opsPerCPUSecond: Double
    /// What the database's files occupy afterwards; nil where it was not asked.
    var bytesOnDisk: UInt64?
    /// The 99th percentile of an operation alone and beside other work, in microseconds; nil where none is timed
    /// singly.
    var idleP99: Double?
    var p99: Double?
}

/// Wall and processor time since it was made.
struct Stopwatch {
    private let wall = ContinuousClock.now
    private let cpu = Stopwatch.processorSeconds()

    func measurement(of operations: Int) -> Measurement {
        let elapsed = (ContinuousClock.now - wall).components
        let seconds = Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18
        return Measurement(
            opsPerSecond: Double(operations) / max(seconds, 1e-9),
            opsPerCPUSecond: Double(operations) / max(Stopwatch.processorSeconds() - cpu, 1e-6)
        )
    }

    /// User and system seconds of this process.
    private static func processorSeconds() -> Double {
        var usage = rusage()
        #if canImport(Glibc)
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
        unsafe getrusage(RUSAGE_SELF, &usage)
        #endif
        let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + Double(microseconds) * 1e-6
    }
}
