#if RocksDB
internal import StorageProtocol

/// What RocksDB's threads have failed to do since a store was opened: a flush or a compaction. After most failures the
/// next commit fails, too. After a compaction that found no room they go on, so only this tells of it.
final class RocksDBBackground: Sendable {
    private let state = Locked(State())

    private struct State {
        /// The failures of databases that were closed since, after a write that failed.
        var earlier: UInt64 = 0
        var told: UInt64 = 0
        var nextLook: ContinuousClock.Instant?
    }

    /// Not at each commit: asking RocksDB takes 0.2 microseconds, a good part of a small one.
    private static let pause = Duration.milliseconds(100)

    /// The database is going to be closed, and another one opened in its place.
    func willClose(_ handles: RocksDBHandles) {
        let count = handles.backgroundFailures
        state.withLock { $0.earlier += count }
    }

    /// Has `takeProblem` look in any case.
    func lookAgain() { state.withLock { $0.nextLook = nil } }

    /// All failures.
    func problem(_ handles: RocksDBHandles?) -> StorageProblem? {
        let present = handles?.backgroundFailures ?? 0
        let count = state.withLock { $0.earlier + present }
        return count == 0 ? nil : RocksDBBackground.problem(count, handles)
    }

    /// The failures, if there are some since the last call. Looks ten times a second at most.
    func takeProblem(_ handles: RocksDBHandles?) -> StorageProblem? {
        let now = ContinuousClock.now
        let count = state.withLock { state -> UInt64? in
            if let next = state.nextLook, now < next { return nil }
            state.nextLook = now + RocksDBBackground.pause
            let count = state.earlier + (handles?.backgroundFailures ?? 0)
            if count <= state.told { return nil }
            state.told = count
            return count
        }
        return count.map { RocksDBBackground.problem($0, handles) }
    }

    private static func problem(_ count: UInt64, _ handles: RocksDBHandles?) -> StorageProblem {
        let isFull = handles.map { StoreFiles.isFull(in: $0.path) } ?? false
        return StorageProblem(
            area: "files",
            message:
                "Writing or rewriting files in the background has failed since the store was opened (\(count) times)"
                + (isFull
                    ? ": the disk, or a quota on it, is full. Free disk space."
                    : ". Run `settee check`, and check the medium.")
        )
    }
}

extension RocksDBHandles {
    /// How often its threads have failed.
    var backgroundFailures: UInt64 { isInherited ? 0 : figure("rocksdb.background-errors") }
}
#endif
