internal import Foundation
internal import SetteeSystemLibrary
internal import StorageProtocol
internal import Synchronization

/// Looks every 10 ms how much memory the process has of its own: resident pages that are not of files.
final class MemorySampler: Sendable {
    private let before: UInt64
    private let peak: Atomic<UInt64>
    private let isOver = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    /// Begins to look; nil where the system does not tell.
    init?() {
        MemorySampler.giveBack()
        guard let now = MemorySampler.own() else { return nil }
        before = now
        peak = Atomic(now)
        Thread.detachNewThread { [self] in
            while !isOver.load(ordering: .relaxed) {
                look()
                usleep(10_000)
            }
            ended.signal()
        }
    }

    /// Ends, and returns the most memory above what there was at the beginning, in bytes.
    func finish() -> UInt64 {
        isOver.store(true, ordering: .relaxed)
        ended.wait()
        look()
        return peak.load(ordering: .relaxed) - before
    }

    /// Gives freed memory back to the system, so that a run cannot use what others have freed without being seen.
    /// glibc declares the function in a header that its module lacks.
    private static func giveBack() {
        typealias Trim = @convention(c) (Int) -> Int32
        guard let symbol = unsafe dlsym(nil, "malloc_trim") else { return }
        _ = unsafe unsafeBitCast(symbol, to: Trim.self)(0)
    }

    private func look() {
        guard let now = MemorySampler.own() else { return }
        _ = peak.max(now, ordering: .relaxed)
    }

    private static func own() -> UInt64? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let pages = text.split(separator: " ").prefix(3).compactMap { UInt64($0) }
        guard pages.count == 3, pages[1] >= pages[2] else { return nil }
        return (pages[1] - pages[2]) * UInt64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
