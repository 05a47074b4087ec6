internal import Settee
internal import SetteeSystemLibrary
internal import StorageProtocol

/// The lines of a file that anybody may have written, one after the other.
struct TraceLineReader: ~Copyable {
    /// The longest line, in bytes.
    static let longestLine = 1 << 17
    private static let pieceSize = 1 << 18

    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var place = 0
    private var isAtEnd = false
    /// The number of the line that was returned last, from 1.
    private(set) var line = 0
    /// Whether the file ends in the middle of a line.
    private(set) var isCutOff = false

    /// - Throws: `fileSystem` (498) if it cannot be opened, or is not a regular file.
    init(path: String) throws(StorageError) {
        // Opening a pipe must not wait for its writer.
        let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard opened >= 0 else { throw TraceLineReader.failure("The trace '\(path)' could not be opened") }
        var status = stat()
        guard unsafe fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(opened)
            throw StorageError(.fileSystem, "'\(path)' is not a regular file. Give the file of a trace.")
        }
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Returns the next line without its end; nil at the end.
    ///
    /// - Throws: `tooLarge` (413) for a line that is too long.
    mutating func next() throws(StorageError) -> [UInt8]? {
        while true {
            if let end = buffer[place...].firstIndex(of: 0x0A) {
                let found = Array(buffer[place..<end])
                place = end + 1
                line += 1
                guard found.count <= TraceLineReader.longestLine else { break }
                return found
            }
            if isAtEnd {
                isCutOff = place < buffer.count
                return nil
            }
            guard buffer.count - place <= TraceLineReader.longestLine else {
                line += 1
                break
            }
            try fill()
        }
        throw StorageError(
            .tooLarge,
            "Line \(line) of the trace is longer than \(TraceLineReader.longestLine) bytes."
        )
    }

    private mutating func fill() throws(StorageError) {
        buffer.removeFirst(place)
        place = 0
        let descriptor = self.descriptor
        var count = 0
        repeat {
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: TraceLineReader.pieceSize) { bytes, filled in
                count = unsafe SetteeSystemLibrary.read(descriptor, bytes.baseAddress, bytes.count)
                filled = max(0, count)
            }
            buffer += piece
        } while count < 0 && errno == EINTR
        guard count >= 0 else { throw TraceLineReader.failure("The trace could not be read") }
        isAtEnd = count == 0
    }

    private static func failure(_ what: String) -> StorageError {
        let reason = unsafe String(cString: strerror(errno))
        return StorageError(.fileSystem, "\(what): \(reason).")
    }
}
