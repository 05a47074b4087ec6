internal import Foundation

/// Prevents all files of this process from growing or being written beyond so many bytes, as on a full disk. Only for a
/// process that runs a single test.
package func limitFiles(to bytes: Int) {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    #if canImport(Glibc)
    let which = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    let which = RLIMIT_FSIZE
    #endif
    unsafe getrlimit(which, &limit)
    limit.rlim_cur = bytes == .max ? limit.rlim_max : rlim_t(bytes)
    unsafe setrlimit(which, &limit)
}

/// The private memory of this process, in bytes: what it has allocated, without pages of mapped files. Nil if the
/// system does not report it.
package func privateMemory() -> Int? {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }.map { $0 * 1024 }
}
