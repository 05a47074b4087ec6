internal import Settee
internal import SetteeSystemLibrary

/// Buffered writing to a file descriptor. All errors are reported.
final class OutputFile {
    private static let capacity = 1 << 16

    let descriptor: Int32
    /// The name in messages.
    private let name: String
    private var buffer: [UInt8] = []
    /// Whether the reading end of the pipe is closed.
    private(set) var readerIsGone = false

    init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
        buffer.reserveCapacity(OutputFile.capacity + 4096)
    }

    func append(_ bytes: [UInt8]) throws(StorageError) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= OutputFile.capacity { try flush() }
    }

    func append(_ bytes: RawSpan) throws(StorageError) {
        unsafe bytes.withUnsafeBytes { unsafe buffer.append(contentsOf: $0) }
        if buffer.count >= OutputFile.capacity { try flush() }
    }

    func append(_ text: String) throws(StorageError) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= OutputFile.capacity { try flush() }
    }

    /// Writes the buffer. It is empty afterwards even if this throws, so that nothing is written twice.
    func flush() throws(StorageError) {
        defer { buffer.removeAll(keepingCapacity: buffer.count < 4 * OutputFile.capacity) }
        var written = 0
        while written < buffer.count {
            let count = unsafe buffer.withUnsafeBytes { bytes in
                unsafe write(descriptor, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written)
            }
            if count >= 0 {
                written += count
                continue
            }
            let number = SystemError.last
            switch number {
            case EINTR: continue
            case EAGAIN:
                // The terminal or pipe was set to non-blocking: wait until it can take more.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&wanted, 1, -1)
            default:
                readerIsGone = number == EPIPE
                throw SystemError.make("\(name) could not be written", number)
            }
        }
    }
}
