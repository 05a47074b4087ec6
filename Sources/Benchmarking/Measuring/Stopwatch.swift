internal import SetteeSystemLibrary

/// Measures wall and processor time since it was made.
struct Stopwatch {
    private let wall = Stopwatch.nanoseconds()
    private let cpu = Stopwatch.processorSeconds()

    var seconds: Double { Double(Stopwatch.nanoseconds() - wall) * 1e-9 }
    /// User and system time of all threads of the process.
    var processorSeconds: Double { Stopwatch.processorSeconds() - cpu }

    /// Nanoseconds of the monotonic clock.
    static func nanoseconds() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

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
