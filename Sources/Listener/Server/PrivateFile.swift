internal import SetteeSystemLibrary
internal import StorageProtocol

/// A small file that only its owner may read, replaced as a whole. Symbolic links are not followed.
struct PrivateFile {
    let path: String

    /// Makes a folder that only its owner may enter, unless there is one.
    static func makeFolder(_ path: String) throws(StorageError) {
        if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        throw failure("make the folder \(path)", "Check its path and the rights of the folder above.")
    }

    /// The contents; nil if there is no file.
    ///
    /// - Parameters:
    ///   - limit: A longer file is cut.
    ///   - isSecret: Refuse a file that others may read or write, or that belongs to another user.
    func read(atMost limit: Int, isSecret: Bool) throws(StorageError) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP:
                throw StorageError(.fileSystem, "\(path) is a symbolic link. Put the file itself there, or remove it.")
            default: throw PrivateFile.failure("open \(path)", "Check its rights, or remove it.")
            }
        }
        defer { _ = SetteeSystemLibrary.close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw PrivateFile.failure("read \(path)", "Check the disk.") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StorageError(.fileSystem, "\(path) is not a plain file. Remove it.")
        }
        guard !isSecret || status.st_mode & 0o077 == 0 else {
            throw StorageError(
                .fileSystem,
                "Other users may use \(path). Run `chmod 600` on it, or remove it to get a new key."
            )
        }
        guard !isSecret || status.st_uid == geteuid() else {
            throw StorageError(.fileSystem, "\(path) belongs to another user. Remove it to get a new key.")
        }
        return try read(file, atMost: limit)
    }

    private func read(_ file: Int32, atMost limit: Int) throws(StorageError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        while count < limit {
            let got = unsafe bytes.withUnsafeMutableBytes { rest in
                unsafe SetteeSystemLibrary.read(file, rest.baseAddress?.advanced(by: count), limit - count)
            }
            if got == 0 { break }
            if got > 0 {
                count += got
            } else if errno != EINTR {
                throw PrivateFile.failure("read \(path)", "Check the disk.")
            }
        }
        return Array(bytes.prefix(count))
    }

    /// Writes the file anew, with mode 0600 from its first moment, and moves it over the old one.
    func replace(with bytes: [UInt8]) throws(StorageError) {
        let new = "\(path).\(getpid()).new"
        _ = unsafe unlink(new)
        let file = unsafe open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw PrivateFile.failure("write \(new)", "Check the rights of its folder.") }
        do throws(StorageError) {
            defer { _ = SetteeSystemLibrary.close(file) }
            try write(bytes, to: file)
            guard fsync(file) == 0 else { throw PrivateFile.failure("write \(new)", "Check the disk.") }
        } catch {
            _ = unsafe unlink(new)
            throw error
        }
        guard unsafe rename(new, path) == 0 else {
            let error = PrivateFile.failure("write \(path)", "Check the rights of its folder.")
            _ = unsafe unlink(new)
            throw error
        }
    }

    private func write(_ bytes: [UInt8], to file: Int32) throws(StorageError) {
        var count = 0
        while count < bytes.count {
            let done = unsafe bytes.withUnsafeBytes { all in
                unsafe SetteeSystemLibrary.write(file, all.baseAddress?.advanced(by: count), all.count - count)
            }
            if done >= 0 {
                count += done
            } else if errno != EINTR {
                throw PrivateFile.failure("write \(path)", "Check that the disk has room.")
            }
        }
    }

    private static func failure(_ what: String, _ remedy: String) -> StorageError {
        let number = errno
        let reason = unsafe String(cString: strerror(number))
        return StorageError(number == ENOSPC ? .full : .fileSystem, "Cannot \(what): \(reason). \(remedy)")
    }
}
