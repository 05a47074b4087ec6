internal import SetteeSystemLibrary
internal import StorageProtocol

/// A data file, read with `pread` only: with a map, a truncated file would cause a signal. It can be opened and closed
/// while LMDB has it open, because LMDB's locks are all on the other file.
final class PageFile {
    private let descriptor: CInt
    private let path: String

    /// - Throws: `failure` if the file cannot be opened, `damage` if it is not a regular file.
    init(path: String) throws(PageFault) {
        // Do not wait for a pipe that is in the place of the file.
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("open", path) }
        self.descriptor = descriptor
        self.path = path
        guard try status().st_mode & S_IFMT == S_IFREG else { throw .damage("'\(path)' is no regular file") }
    }

    deinit { _ = close(descriptor) }

    /// Returns the current size in bytes. Another process may extend the file at any time.
    func size() throws(PageFault) -> UInt64 { UInt64(max(0, try status().st_size)) }

    /// Reads `count` bytes from `offset` on, fewer at the end of the file.
    func read(_ count: Int, at offset: UInt64) throws(PageFault) -> [UInt8] {
        guard let start = off_t(exactly: offset), Int64.max - Int64(start) > count else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        var got = 0
        while got < count {
            let result = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(descriptor, buffer.baseAddress?.advanced(by: got), count - got, start + off_t(got))
            }
            if result < 0 && errno == EINTR { continue }
            guard result >= 0 else { throw Self.failure("read", path) }
            if result == 0 { break }
            got += result
        }
        bytes.removeLast(count - got)
        return bytes
    }

    private func status() throws(PageFault) -> stat {
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0 else { throw Self.failure("read", path) }
        return facts
    }

    private static func failure(_ doing: String, _ path: String) -> PageFault {
        let number = errno
        let text = unsafe String(cString: strerror(number))
        let code: StorageError.Code =
            switch number {
            case ENOENT: .notFound
            case EACCES, EPERM: .readOnly
            case EIO: .storage
            default: .fileSystem
            }
        let advice =
            switch number {
            case EIO: "Check the disk."
            case EMFILE, ENFILE: "Close files, or raise the limit on open files (ulimit -n), and retry."
            default: "Check that it exists, and its permissions."
            }
        return .failure(StorageError(code, "Could not \(doing) '\(path)': \(text). \(advice)"))
    }
}
