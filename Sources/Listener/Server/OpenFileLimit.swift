internal import SetteeSystemLibrary

/// How many files and sockets the process may have open.
enum OpenFileLimit {
    /// As many of the wanted connections as there are file descriptors for, 64 left for everything else; at least 1.
    static func connections(wanted: Int) -> Int {
        var limit = rlimit()
        #if canImport(Glibc)
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let kind = RLIMIT_NOFILE
        #endif
        guard unsafe getrlimit(kind, &limit) == 0 else { return max(1, wanted) }
        let free = Int(clamping: limit.rlim_cur) - 64
        return max(1, min(wanted, free))
    }
}
