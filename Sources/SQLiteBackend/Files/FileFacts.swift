internal import CSetteeOwnership
internal import SetteeSystemLibrary
internal import StorageProtocol

/// Identifies the file to which a path leads, whatever the path.
struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
}

/// What can be found out about files without opening them (closing a descriptor of a database file would drop the
/// process's locks on it), and the few calls that SQLite does not make for us.
enum FileFacts {
    private static func status(_ path: String) -> stat? {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 ? facts : nil
    }

    /// Returns the size in bytes, nil if there is no such file.
    static func size(_ path: String) -> UInt64? { status(path).map { UInt64(max(0, $0.st_size)) } }

    static func identity(_ path: String) -> FileIdentity? {
        status(path).map { FileIdentity(device: UInt64(truncatingIfNeeded: $0.st_dev), inode: UInt64($0.st_ino)) }
    }

    /// Returns the absolute path of an existing file, without symbolic links.
    static func realPath(_ path: String) throws(StorageError) -> String {
        guard let resolved = unsafe realpath(path, nil) else { throw failure("find", path) }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// - Throws: `corrupt` (591) if anything but a regular file has this name: a link, a folder, a pipe.
    static func requireFileOrNothing(_ path: String) throws(StorageError) {
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG else { return }
        throw .corrupt("'\(path)' is no regular file: it was not opened")
    }

    /// Returns the names in a folder, without `.` and `..`.
    static func names(in directory: String) throws(StorageError) -> [String] {
        guard let stream = unsafe opendir(directory) else { throw failure("read the folder", directory) }
        defer { unsafe _ = closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// Reads up to `count` bytes of a file, fewer at its end. Opens and closes the file, so it must only be called
    /// before the process has any connection to it.
    static func bytes(_ path: String, at offset: UInt64 = 0, count: Int) throws(StorageError) -> [UInt8] {
        // Do not wait for a pipe that is in the place of the file.
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { _ = close(descriptor) }
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0 else { throw failure("read", path) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw .corrupt("'\(path)' is no regular file") }
        var bytes = [UInt8](repeating: 0, count: count)
        var got = 0
        repeat {
            got = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, count, off_t(offset)) }
        } while got < 0 && errno == EINTR
        guard got >= 0 else { throw failure("read", path) }
        bytes.removeLast(count - got)
        return bytes
    }

    /// Makes the entries of a folder survive power loss.
    static func syncDirectory(_ path: String) throws(StorageError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open the folder", path) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync the folder", path) }
    }

    /// Makes an empty file for a database, which SQLite fills as it would a new one. Done by root, it belongs to the
    /// owner of its folder; what SQLite makes beside it has the owner of this file. Errors are left to SQLite.
    static func makeEmpty(_ path: String) {
        let descriptor = unsafe cso_open(AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        if descriptor >= 0 { _ = close(descriptor) }
    }

    static func remove(_ path: String) { unsafe _ = unlink(path) }

    private static func failure(_ doing: String, _ path: String) -> StorageError {
        let number = errno
        let text = unsafe String(cString: strerror(number))
        if number == EIO {
            return StorageError(
                .storage,
                "Could not \(doing) '\(path)': \(text). Check the medium and open the database again."
            )
        }
        return StorageError(
            number == EACCES || number == EPERM || number == EROFS ? .readOnly : .fileSystem,
            "Could not \(doing) '\(path)': \(text). "
                + ([EMFILE, ENFILE].contains(number)
                    ? "Close files, or raise the limit on open files (ulimit -n), and retry."
                    : "Check that it exists, and its permissions.")
        )
    }
}
