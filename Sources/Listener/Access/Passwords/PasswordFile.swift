internal import SetteeSystemLibrary
internal import StorageProtocol

/// A file of users. It is looked at before each use, and read again when it is another one or has changed.
final class PasswordFile: Sendable {
    let path: String
    private let state = Locked(State())

    private struct State {
        var known: Known?
        var reads: UInt64 = 0
    }

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
        try state.withLock { (state) throws(StorageError) in try entries(&state) }
    }

    /// Returns another number whenever the entries may be others; nil while the file cannot be used.
    var version: UInt64? {
        state.withLock { (state) in
            do throws(StorageError) {
                _ = try entries(&state)
                return state.reads
            } catch {
                return nil
            }
        }
    }

    private func entries(_ state: inout State) throws(StorageError) -> PasswordEntries {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        let stamp = try FileStamp(descriptor, path)
        if let known = state.known, known.stamp == stamp, known.stamp.isSettled { return known.entries }
        state.known = nil
        let entries = try PasswordEntries(read(descriptor), path: path)
        state.known = Known(stamp: stamp, entries: entries)
        state.reads &+= 1
        return entries
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
