internal import CSetteeLMDB
internal import CSetteeOwnership
internal import SetteeSystemLibrary
internal import StorageProtocol

extension StoreFiles {
    /// How many bytes a disk must still accept in order not to count as full.
    private static let leastRoom = 1 << 20

    /// Whether a store's file cannot grow any more: its disk, or a quota on it, refuses more data, or the file has the
    /// maximum size. Finds out by trying, because a disk's figures neither include quotas nor show whether it accepts
    /// data that it cannot keep.
    static func isFull(_ path: String) -> Bool {
        size(path) &+ 65536 > fileSizeLimit || isFull(in: LMDBFolder.folder(of: path))
    }

    /// The file that `isFull` makes: what a killed creation leaves has this name, in case the process is killed before
    /// the file is removed.
    static var trialName: String { LMDBFolder.newName }

    /// Whether the disk of a folder, or a quota on it, refuses more data.
    static func isFull(in folder: String) -> Bool {
        let trial = folder + "/" + trialName
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC
        let descriptor = unsafe open(trial, flags, LMDBFolder.mode)
        guard descriptor >= 0 else { return LMDBFailure.isFull(errno) }
        defer { _ = close(descriptor) }
        remove(trial)
        let bytes = [UInt8](repeating: 0, count: leastRoom)
        let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        return count < bytes.count && (count >= 0 || LMDBFailure.isFull(errno))
    }

    /// The process's limit in bytes.
    private static var fileSizeLimit: UInt64 {
        var limit = rlimit()
        #if canImport(Glibc)
        let status = unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
        let status = unsafe getrlimit(RLIMIT_FSIZE, &limit)
        #endif
        return status == 0 ? UInt64(limit.rlim_cur) : .max
    }

    /// Makes an empty file, which belongs to the owner of its folder.
    ///
    /// - Returns: 0, or an errno.
    static func makeEmpty(_ path: String) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = unsafe cso_open(AT_FDCWD, path, flags, LMDBFolder.mode)
        guard descriptor >= 0 else { return -descriptor }
        _ = close(descriptor)
        return 0
    }

    /// Allocates disk space for a file that LMDB maps and writes: on a full disk, the write would cause a signal.
    /// Creates the file, with length 0, if it is missing. No environment of this process may have it open.
    ///
    /// - Throws: `full` (507), `readOnly` (403), `fileSystem` (498).
    static func reserve(_ path: String, bytes: Int) throws(StorageError) {
        var status = stat()
        if unsafe stat(path, &status) == 0, Int(status.st_blocks) >= bytes / 512 { return }
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = unsafe cso_open(AT_FDCWD, path, flags, LMDBFolder.mode)
        guard descriptor >= 0 else {
            if LMDBFailure.isFull(-descriptor) { throw LMDBFailure(code: -descriptor).error("Making '\(path)'") }
            errno = -descriptor
            throw failure("open", path)
        }
        defer { _ = close(descriptor) }
        #if os(Linux)
        // The length stays unchanged, because others may have mapped the file. Other errors mean that the file system
        // cannot allocate in advance, and are ignored.
        if clmdb_reserve(descriptor, off_t(bytes)) != 0, LMDBFailure.isFull(errno) {
            throw LMDBFailure(code: errno).error("Making '\(path)'")
        }
        #endif
    }
}
