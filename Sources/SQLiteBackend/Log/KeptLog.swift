internal import CSetteeOwnership
internal import SetteeSystemLibrary
internal import StorageProtocol

/// A copy of a damaged log. SQLite drops what comes after the damage and removes the log; the copy is what is left of
/// it, and tells every later opening that commits were lost.
enum KeptLog {
    /// The suffixes of the copy and of one that is being made.
    static let suffixes = [suffix, suffix + ".new"]
    private static let suffix = "-wal-damaged"

    /// Returns the problem that a copy beside the file stands for.
    static func problem(at path: String) -> StorageProblem? {
        guard FileFacts.size(path + suffix) != nil else { return nil }
        return StorageProblem(
            area: "log",
            message: "A log of the database was damaged, and commits in it are lost. It is kept as '\(path + suffix)'. "
                + "Restore the database from a copy; or go on without those commits: delete that file."
        )
    }

    /// Copies the log of the file at `path`, unless there is a copy of an earlier one.
    ///
    /// Several processes may do so at a time: the first one that has the copy complete gives it its name.
    static func keep(_ log: LogFile, of path: String) throws(StorageError) {
        let (target, new) = (path + suffix, path + suffix + ".new")
        while FileFacts.size(target) == nil {
            let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
            let descriptor = unsafe cso_open(AT_FDCWD, new, flags, log.mode)
            guard descriptor >= 0 else {
                errno = -descriptor
                throw failure(new)
            }
            defer { _ = close(descriptor) }
            while flock(descriptor, LOCK_EX) != 0 { if errno != EINTR { throw failure(new) } }
            // Another process may have given it its name in the meantime.
            guard isNamed(new, descriptor) else { continue }
            do throws(StorageError) {
                guard ftruncate(descriptor, 0) == 0 else { throw failure(new) }
                try copy(log, to: descriptor, new)
                guard fsync(descriptor) == 0, unsafe rename(new, target) == 0 else { throw failure(new) }
            } catch {
                FileFacts.remove(new)
                throw error
            }
        }
        guard let end = path.lastIndex(of: "/") else { return }
        try FileFacts.syncDirectory(String(path[..<end]))
    }

    private static func isNamed(_ path: String, _ descriptor: Int32) -> Bool {
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0 else { return false }
        let own = FileIdentity(device: UInt64(truncatingIfNeeded: facts.st_dev), inode: UInt64(facts.st_ino))
        return FileFacts.identity(path) == own
    }

    private static func copy(_ log: LogFile, to descriptor: Int32, _ path: String) throws(StorageError) {
        var offset: UInt64 = 0
        while true {
            guard let piece = log.bytes(at: offset, atMost: 1 << 20) else { throw failure(path) }
            if piece.isEmpty { return }
            var done = 0
            while done < piece.count {
                let written = unsafe piece.withUnsafeBytes { bytes in
                    let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
                    return unsafe write(descriptor, rest.baseAddress, rest.count)
                }
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw failure(path) }
                done += written
            }
            offset += UInt64(piece.count)
        }
    }

    private static func failure(_ path: String) -> StorageError {
        let number = errno
        let text = unsafe String(cString: strerror(number))
        return StorageError(
            [ENOSPC, EDQUOT, EFBIG].contains(number) ? .full : .fileSystem,
            "The database's log is damaged, and could not be copied to '\(path)' before it is recovered: \(text). Nothing "
                + "was changed. Make room, or open the database read-only."
        )
    }
}
