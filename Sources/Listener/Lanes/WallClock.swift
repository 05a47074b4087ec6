internal import SetteeSystemLibrary

enum WallClock {
    /// Seconds since 1970.
    static var seconds: Int64 {
        var now = timespec()
        unsafe _ = clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec)
    }
}
