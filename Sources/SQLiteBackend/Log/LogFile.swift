internal import SetteeSystemLibrary

/// A log that no connection of this process has open: closing the descriptor would drop locks that SQLite might have on
/// it.
final class LogFile: LogBytes {
    private let descriptor: Int32

    /// Nil where there is none that can be read.
    init?(_ path: String) {
        // A pipe in the file's place must not be waited for.
        descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    deinit { _ = close(descriptor) }

    func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Bool {
        guard let start = off_t(exactly: offset) else { return false }
        var done = 0
        while done < bytes.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
            let count = unsafe pread(descriptor, rest.baseAddress, rest.count, start + off_t(done))
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }
}
