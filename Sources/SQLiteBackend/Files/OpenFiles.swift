internal import StorageProtocol

/// The database files to which this process has connections, with their number of engines.
///
/// The header may only be read directly while there is none: closing any descriptor of a file drops all POSIX locks
/// that the process has on it, including SQLite's. Each file has a lock of its own, because the first look may take
/// time in proportion to its log.
final class OpenFiles: Sendable {
    static let shared = OpenFiles()

    private final class Entry: Sendable { let engines = Locked(0) }

    private let entries = Locked<[FileIdentity: (entry: Entry, users: Int)]>([:])

    /// Counts a new engine. If it is the file's first, `firstLook` runs before.
    func enter(
        _ file: FileIdentity,
        firstLook: () throws(StorageError) -> Void
    ) throws(StorageError) {
        let entry = use(file)
        do throws(StorageError) {
            try entry.engines.withLock { (engines) throws(StorageError) in
                if engines == 0 { try firstLook() }
                engines += 1
            }
        } catch {
            disuse(file)
            throw error
        }
    }

    func leave(_ file: FileIdentity) {
        let entry = use(file)
        entry.engines.withLock { $0 = max(0, $0 - 1) }
        disuse(file)
        disuse(file)
    }

    /// Runs `look` if there is no connection to the file. Prevents other threads from opening one during that time.
    func withoutConnections(
        _ file: FileIdentity,
        look: () throws(StorageError) -> Void
    ) throws(StorageError) {
        let entry = use(file)
        defer { disuse(file) }
        try entry.engines.withLock { (engines) throws(StorageError) in
            if engines == 0 { try look() }
        }
    }

    private func use(_ file: FileIdentity) -> Entry {
        entries.withLock { entries in
            entries[file, default: (Entry(), 0)].users += 1
            return entries[file, default: (Entry(), 0)].entry
        }
    }

    private func disuse(_ file: FileIdentity) {
        entries.withLock { entries in
            guard let users = entries[file]?.users else { return }
            entries[file]?.users = users - 1
            if users <= 1 { entries[file] = nil }
        }
    }
}
