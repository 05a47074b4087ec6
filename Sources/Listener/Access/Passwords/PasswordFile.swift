internal import SetteeSystemLibrary
internal import StorageProtocol

/// A file of users. It is looked at before each use, and read again when it is another one or has changed.
final class PasswordFile: Sendable {
    let path: String
    private let known = Locked<Known?>(nil)

    private struct Known {
        var stamp: FileStamp
        var entries: PasswordEntries
    }

    init(_ path: String) { self.path = path }

    /// Returns the entries.
    ///
    /// - Throws: `fileSystem` (498), `badParameter` (495), `tooLarge` (413). What was read before does not count then.
    /// - Complexity: O(1) if the file has not changed, else O(bytes).
    func entries() throws(StorageError) -> PasswordEntries {
        try known.withLock { (known) throws(StorageError) in
            let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            guard descriptor >= 0 else { throw failure() }
            defer { close(descriptor) }
            let stamp = try FileStamp(descriptor, path)
            if let known, known.stamp == stamp, known.stamp.isSettled { return known.entries }
            known = nil
            let entries = try PasswordEntries(read(descriptor), path: path)
            known = Known(stamp: stamp, entries: entries)
            return entries
        }
    }

    private func read(_ descriptor: Int32) throws(StorageError) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes { piece in
                unsafe SetteeSystemLibrary.read(descriptor, piece.baseAddress, piece.count)
            }
            if count < 0 {
                guard errno == EINTR else { throw failure() }
                continue
            }
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: piece[..<count])
            guard bytes.count <= PasswordEntries.longestFile else {
                throw StorageError(.tooLarge, "The users' file '\(path)' has more than 4 MiB. Remove entries.")
            }
        }
    }

    private func failure() -> StorageError {
        let number = errno
        if number == ELOOP {
            return StorageError(.fileSystem, "The users' file '\(path)' is a link. Give the path of the file itself.")
        }
        let reason = unsafe String(cString: strerror(number))
        return StorageError(.fileSystem, "The users' file '\(path)' could not be read (\(reason)). Check its path.")
    }
}
