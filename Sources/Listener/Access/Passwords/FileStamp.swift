internal import SetteeSystemLibrary
internal import StorageProtocol

/// What tells whether a file is the one that was read. Made only of a file that nobody but its owner can read.
struct FileStamp: Sendable, Equatable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let changed: [Int]
    /// When the stamp was taken, in seconds since 1970.
    let read: Int

    /// - Throws: `fileSystem` (498) for what is no regular file, and for a file of another user or with a lax mode.
    init(_ descriptor: Int32, _ path: String) throws(StorageError) {
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw StorageError(.fileSystem, "The users' file '\(path)' is no regular file. Write the entries into one.")
        }
        guard facts.st_uid == geteuid() || facts.st_uid == 0 else {
            throw StorageError(.fileSystem, "The users' file '\(path)' belongs to another user. Run chown on it.")
        }
        guard facts.st_mode & 0o077 == 0 else {
            let mode = String(facts.st_mode & 0o777, radix: 8)
            throw StorageError(
                .fileSystem,
                "The users' file '\(path)' is open to others (mode \(mode)). Run chmod 600 on it."
            )
        }
        device = UInt64(truncatingIfNeeded: facts.st_dev)
        number = UInt64(truncatingIfNeeded: facts.st_ino)
        size = Int64(facts.st_size)
        #if canImport(Darwin)
        let times = [facts.st_mtimespec, facts.st_ctimespec]
        #else
        let times = [facts.st_mtim, facts.st_ctim]
        #endif
        changed = times.flatMap { [Int($0.tv_sec), Int($0.tv_nsec)] }
        read = time(nil)
    }

    static func == (a: FileStamp, b: FileStamp) -> Bool {
        a.device == b.device && a.number == b.number && a.size == b.size && a.changed == b.changed
    }

    /// Whether the last change of the file was more than two seconds before it was read. A later one could have the
    /// same stamp: the clocks of file systems are coarse.
    var isSettled: Bool { changed[2] < read - 2 }
}
