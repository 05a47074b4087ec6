internal import CSetteeLMDB
internal import SetteeSystemLibrary
internal import StorageProtocol

extension LMDBFiles {
    /// What a disk must still take not to be called full, in bytes.
    private static let leastRoom = 1 << 20

    /// Whether a store's file may not grow any more: its disk, or a quota on it, refuses to take more, or the file is
    /// as large as a file may be. Tries it out: a disk's figures say nothing of quotas, nor whether it takes what it
    /// cannot keep.
    static func isFull(_ path: String) -> Bool {
        if size(path) &+ 65536 > fileSizeLimit { return true }
        // The name of what a creation leaves that was killed, should we be killed before it is gone.
        let trial = LMDBFolder.folder(of: path) + "/" + LMDBFolder.newName
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

    /// Takes disk space for a file that LMDB maps and writes: on a full disk that would be a signal. Makes the file, of
    /// no length, where it is not there. No environment of this process may have it open.
    ///
    /// - Throws: `full` (507), `readOnly` (403), `fileSystem` (498).
    static func reserve(_ path: String, bytes: Int) throws(StorageError) {
        var status = stat()
        if unsafe stat(path, &status) == 0, Int(status.st_blocks) >= bytes / 512 { return }
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = unsafe open(path, flags, LMDBFolder.mode)
        guard descriptor >= 0 else {
            if LMDBFailure.isFull(errno) { throw LMDBFailure(code: errno).error("Making '\(path)'") }
            throw failure("open", path)
        }
        defer { _ = close(descriptor) }
        #if os(Linux)
        // The length stays, for others may have mapped the file. A file system without this says so and is let be.
        if clmdb_reserve(descriptor, off_t(bytes)) != 0, LMDBFailure.isFull(errno) {
            throw LMDBFailure(code: errno).error("Making '\(path)'")
        }
        #endif
    }
}
