internal import SetteeSystemLibrary

/// The measurement of some operations.
struct Measurement: Sendable {
    var opsPerSecond: Double
    /// Operations per second of processor time of all threads. It varies less than wall time on a busy machine.
    var opsPerCPUSecond: Double
    /// The size of the database's files afterwards; nil if it was not measured.
    var bytesOnDisk: UInt64?
    /// The 99th percentile of an operation alone, and beside other work, in microseconds; nil if operations are not
    /// timed one by one.
    var idleP99: Double?
    var p99: Double?
}

/// Measures wall and processor time since it was created.
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
