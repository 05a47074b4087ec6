internal import SetteeStorageFiles
internal import StorageProtocol

/// Prevents a rewrite from filling the disk.
final class DiskReserve: Sendable {
    /// Returns the free bytes of the disk of a path; nil if unknown.
    private let free: Locked<@Sendable (String) -> UInt64?>

    /// The bytes that are always left to other programs.
    static let rest: UInt64 = 1 << 20

    init() { free = Locked({ path in try? DiskSpace.free(at: path) }) }

    /// Replaces the source of these figures, for tests.
    func measure(by free: @escaping @Sendable (String) -> UInt64?) { self.free.withLock { $0 = free } }

    /// - Parameter isAsked: whether the rewrite was requested. If so, it may use the disk up to the last byte.
    /// - Throws: `full` (507) if the disk has no room for the copy, which takes as many bytes as the store uses. A
    ///   rewrite that was not requested must also leave a sixteenth of that and `rest` free.
    func require(_ figures: StorageStatistics, isAsked: Bool, at path: String) throws(StorageError) {
        let used = figures.bytesOnDisk - min(figures.freeBytes, figures.bytesOnDisk)
        try require(isAsked ? used : used &+ used / 16 &+ DiskReserve.rest, at: path)
    }

    /// - Throws: `full` (507) if less than `rest` is free.
    func requireRest(at path: String) throws(StorageError) { try require(DiskReserve.rest, at: path) }

    /// Returns the free bytes of the disk of a path; nil if unknown.
    func freeBytes(at path: String) -> UInt64? { free.withLock { $0(path) } }

    /// - Throws: `full` (507) if less is free.
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
