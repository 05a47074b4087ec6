internal import SetteeSystemLibrary
internal import StorageProtocol

/// Replaces the `writer` lock of a database folder, which the callers of an engine hold around every write.
struct FileLock {
    let path: String

    func holding<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(.fileSystem, "The suite's lock file cannot be opened.") }
        defer { _ = close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw StorageError(.fileSystem, "The suite's lock file cannot be locked.") }
        }
        return try body()
    }
}

/// Ends the process as a crash would: nothing is closed, nothing is written out.
func endAbruptly(_ status: Int32) -> Never { _exit(status) }
