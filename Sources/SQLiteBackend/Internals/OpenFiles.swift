internal import StorageProtocol

/// The database files to which this process has connections, with their number of engines.
///
/// The header may be read by our own means only while there is none: closing any descriptor of a file drops all POSIX
/// locks that the process has on it, SQLite's among them.
final class OpenFiles: Sendable {
    static let shared = OpenFiles()

    private let engines = Locked<[FileIdentity: Int]>([:])

    /// Counts an engine in; `firstLook` runs before, where it is the file's first.
    func enter(
        _ file: FileIdentity,
        firstLook: () throws(StorageError) -> Void
    ) throws(StorageError) {
        try engines.withLock { (engines: inout [FileIdentity: Int]) throws(StorageError) in
            if engines[file] == nil { try firstLook() }
            engines[file, default: 0] += 1
        }
    }

    func leave(_ file: FileIdentity) {
        engines.withLock { engines in
            let left = (engines[file] ?? 1) - 1
            engines[file] = left > 0 ? left : nil
        }
    }
}
