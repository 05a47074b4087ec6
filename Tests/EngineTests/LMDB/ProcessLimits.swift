import Foundation

/// Lets no file of this process grow beyond so many bytes, nor be written there: as on a disk that is full. Only for a
/// process that a test has for itself.
func limitFiles(to bytes: Int) {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    #if canImport(Glibc)
    let which = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    let which = RLIMIT_FSIZE
    #endif
    getrlimit(which, &limit)
    limit.rlim_cur = bytes == .max ? limit.rlim_max : rlim_t(bytes)
    setrlimit(which, &limit)
}

/// The private memory of this process, in bytes: what it has allocated, and no pages of mapped files. Nil where the
/// system does not say.
func privateMemory() -> Int? {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }.map { $0 * 1024 }
}
