internal import Foundation
internal import SetteeBenchmarkResults
internal import SetteeSystemLibrary

/// How long the disk takes for a page that is not in memory.
enum DiskProbe {
    private static let page = 4096
    private static let pages = 16_384
    private static let reads = 200

    /// Returns microseconds: the median of reads at random places of a file of 64 MiB whose pages were dropped from
    /// memory. Nil if the system cannot drop them, or the folder is in memory itself.
    static func microseconds(in folder: URL) throws -> Double? {
        if let system = Machine.fileSystem(of: folder.path), ["tmpfs", "ramfs"].contains(system) { return nil }
        let file = folder.appending(path: "disk-probe")
        try Data(repeating: 0x5A, count: page * pages).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let descriptor = unsafe open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { return nil }
        #if canImport(Glibc)
        guard posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0 else { return nil }
        // Pages around the one that is asked for stay on disk.
        _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM)
        #else
        return nil
        #endif
        var bytes = [UInt8](repeating: 0, count: page)
        var times: [Double] = []
        for turn in 0..<reads {
            let place = Int(People.mix(UInt64(turn)) % UInt64(pages)) * page
            let start = Stopwatch.nanoseconds()
            guard unsafe pread(descriptor, &bytes, page, off_t(place)) == page else { return nil }
            times.append(Double(Stopwatch.nanoseconds() - start) / 1000)
        }
        return median(times)
    }
}
