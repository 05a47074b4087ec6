internal import SetteeSystemLibrary
internal import StorageProtocol

/// Identifies the file to which a path leads, whatever the path.
struct StoreFileIdentity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
}

/// The file system calls that stores make themselves.
enum StoreFiles {
    /// Facts about an entry; a symbolic link is not followed.
    struct Facts {
        var identity: StoreFileIdentity
        var size: UInt64
        var isRegular: Bool
        var isFolder: Bool
        /// How many names it has.
        var links: Int
    }

    /// Nil if there is nothing.
    static func facts(_ path: String) throws(StorageError) -> Facts? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw failure("examine", path)
        }
        return facts(status)
    }

    /// Returns the facts of an open file.
    static func facts(descriptor: Int32) -> Facts? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? facts(status) : nil
    }

    private static func facts(_ status: stat) -> Facts {
        Facts(
            identity: StoreFileIdentity(
                device: UInt64(truncatingIfNeeded: status.st_dev),
                inode: UInt64(truncatingIfNeeded: status.st_ino)
            ),
            size: UInt64(max(0, status.st_size)),
            isRegular: status.st_mode & S_IFMT == S_IFREG,
            isFolder: status.st_mode & S_IFMT == S_IFDIR,
            links: Int(status.st_nlink)
        )
    }

    /// Returns the size in bytes, 0 if there is no such file.
    static func size(_ path: String) -> UInt64 { (try? facts(path))?.size ?? 0 }

    /// Whether the process may write to what is at `path`.
    static func mayWrite(_ path: String) -> Bool { unsafe faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 }

    /// Returns the absolute path without symbolic links.
    static func realPath(_ path: String) throws(StorageError) -> String {
        guard let resolved = unsafe realpath(path, nil) else { throw failure("find", path) }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Whether this process has a file open; nil if the system does not provide this. Other threads may open and close
    /// files at the same time.
    static func isOpen(_ file: StoreFileIdentity) -> Bool? {
        guard let names = try? names(in: "/dev/fd") else { return nil }
        return names.contains { name in Int32(name).flatMap { facts(descriptor: $0)?.identity } == file }
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

    /// Makes the entries of a folder survive power loss.
    static func syncDirectory(_ path: String) throws(StorageError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open the folder", path) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync the folder", path) }
    }

    static func rename(_ path: String, to other: String) throws(StorageError) {
        guard systemRename(path, other) == 0 else { throw failure("rename", path) }
    }

    private static func systemRename(_ path: String, _ other: String) -> Int32 {
        #if canImport(Darwin)
        unsafe Darwin.rename(path, other)
        #elseif canImport(Glibc)
        unsafe Glibc.rename(path, other)
        #else
        unsafe Musl.rename(path, other)
        #endif
    }

    static func remove(_ path: String) { unsafe _ = unlink(path) }

    /// - Throws: `notFound` (404) if a store is not to be created in a folder that has none, `readOnly` (403).
    static func requireCreation(in directory: String, _ options: StorageOptions) throws(StorageError) {
        guard options.create else {
            throw StorageError(
                .notFound,
                "The folder '\(directory)' holds no database. Open it with `create` to make one."
            )
        }
        if options.readOnly { throw .readOnly }
    }

    static func failure(_ doing: String, _ path: String) -> StorageError {
        let number = errno
        let text = unsafe String(cString: strerror(number))
        return StorageError(
            [EACCES, EPERM, EROFS].contains(number) ? .readOnly : .fileSystem,
            "Could not \(doing) '\(path)': \(text). "
                + ([EMFILE, ENFILE].contains(number)
                    ? "Close files, or raise the limit on open files (ulimit -n), and retry."
                    : "Check that it exists, and its permissions.")
        )
    }
}
