internal import Foundation
internal import Settee
internal import SetteeSystemLibrary
internal import StorageProtocol

/// A file that is read from beginning to end, or standard input.
final class InputFile: Sendable {
    /// Bytes read by `begins(with:)`, which `read` returns again.
    private let ahead = Locked<[UInt8]>([])
    private let path: String
    private static let chunk = 1 << 18

    private let descriptor: Int32
    private let name: String
    private let isOwned: Bool
    /// The file's length if it is a regular file; nil for anything else.
    let length: Int?

    /// - Parameter path: `-` means standard input.
    init(path: String) throws(StorageError) {
        self.path = path
        if path == "-" {
            descriptor = STDIN_FILENO
            name = "Standard input"
            isOwned = false
        } else {
            name = "The file '\(path)'"
            descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            isOwned = true
        }
        guard descriptor >= 0 else {
            let number = SystemError.last
            length = nil
            throw SystemError.make("\(name) could not be opened", number)
        }
        var status = stat()
        let known = unsafe fstat(descriptor, &status) == 0
        length = known && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
        if known, status.st_mode & S_IFMT == S_IFDIR {
            throw SystemError.make("\(name) could not be read", EISDIR)
        }
    }

    deinit { if isOwned, descriptor >= 0 { close(descriptor) } }

    /// The file if it is a regular one with a name.
    var regularFile: URL? { isOwned && length != nil ? URL(argument: path) : nil }

    /// Returns whether the text begins with `bytes`. Nothing may have been read before.
    func begins(with bytes: [UInt8]) throws(StorageError) -> Bool {
        var text: [UInt8] = []
        while text.count < bytes.count, let more = try read() { text += more }
        ahead.withLock { $0 = text }
        return text.starts(with: bytes)
    }

    /// Returns the next bytes; nil at the end.
    func read() throws(StorageError) -> [UInt8]? {
        let known = ahead.withLock { ahead -> [UInt8] in
            defer { ahead = [] }
            return ahead
        }
        if !known.isEmpty { return known }
        while true {
            var outcome = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: InputFile.chunk) { buffer, count in
                outcome = unsafe systemRead(descriptor, buffer.baseAddress, buffer.count)
                count = max(0, outcome)
            }
            if outcome > 0 { return bytes }
            if outcome == 0 { return nil }
            let number = SystemError.last
            switch number {
            case EINTR: continue
            case EAGAIN:
                var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = unsafe poll(&wanted, 1, -1)
            default: throw SystemError.make("\(name) could not be read", number)
            }
        }
    }

    /// Returns all bytes up to the end, or until there are at least `limit`.
    func readAll(limit: Int) throws(StorageError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit, let more = try read() { bytes.append(contentsOf: more) }
        return bytes
    }
}
