internal import SetteeSystemLibrary

/// A log that no connection of this process has open: closing the descriptor would drop any locks that SQLite has on
/// it.
final class LogFile: LogBytes {
    private let descriptor: Int32

    /// Nil if there is none that can be read.
    init?(_ path: String) {
        // Do not wait for a pipe that is in the place of the file.
        descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    deinit { _ = close(descriptor) }

    /// The permissions of the file.
    var mode: mode_t {
        var facts = stat()
        return unsafe fstat(descriptor, &facts) == 0 ? facts.st_mode & 0o777 : 0o600
    }

    /// Reads up to `count` bytes, fewer at the end; nil if the system cannot read them.
    func bytes(at offset: UInt64, atMost count: Int) -> [UInt8]? {
        guard let start = off_t(exactly: offset) else { return nil }
        var result = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, got in
            repeat {
                result = unsafe pread(descriptor, buffer.baseAddress, count, start)
            } while result < 0 && errno == EINTR
            got = max(0, result)
        }
        return result < 0 ? nil : bytes
    }

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
