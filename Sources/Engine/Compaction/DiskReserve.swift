internal import SetteeStorageFiles
internal import StorageProtocol

/// Sees to it that a rewrite does not fill the disk.
final class DiskReserve: Sendable {
    /// Free bytes where a path lies, nil where nobody can say.
    private let free: Locked<@Sendable (String) -> UInt64?>

    /// What is left to others in any case.
    static let rest: UInt64 = 1 << 20

    init() { free = Locked({ path in try? DiskSpace.free(at: path) }) }

    /// Asks another one from now on; for tests.
    func measure(by free: @escaping @Sendable (String) -> UInt64?) { self.free.withLock { $0 = free } }

    /// - Parameter isAsked: whether the rewrite was requested. If so, it may use the disk up to the last byte.
    /// - Throws: `full` (507) if the disk has no room for the copy, which takes as many bytes as the store uses. A
    ///   rewrite that was not requested must leave a sixteenth of that and `rest` free besides.
    func require(_ figures: StorageStatistics, isAsked: Bool, at path: String) throws(StorageError) {
        let used = figures.bytesOnDisk - min(figures.freeBytes, figures.bytesOnDisk)
        try require(isAsked ? used : used &+ used / 16 &+ DiskReserve.rest, at: path)
    }

    /// - Throws: `full` (507) where less than `rest` is free.
    func requireRest(at path: String) throws(StorageError) { try require(DiskReserve.rest, at: path) }

    /// Free bytes where a path lies, nil where nobody can say.
    func freeBytes(at path: String) -> UInt64? { free.withLock { $0(path) } }

    /// - Throws: `full` (507) where less is free.
    func require(_ bytes: UInt64, at path: String) throws(StorageError) {
        guard let free = freeBytes(at: path), free < bytes else { return }
        throw StorageError(
            .full,
            """
            To rewrite the files, about \(bytes) bytes must be free on the disk, and \(free) are. Make space there, or \
            move the database.
            """
        )
    }
}
