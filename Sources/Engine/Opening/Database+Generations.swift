internal import SetteeStorageFiles
package import StorageProtocol
internal import Synchronization

extension Database {
    /// Returns the current engine, counted as in use until `leave`.
    package func enter() throws(StorageError) -> OpenGeneration { try enter(snapshotAt: nil).generation }

    /// - Parameter time: the time at which a snapshot begins, by the monotonic clock; nil: no snapshot begins.
    func enter(
        snapshotAt time: UInt64?
    ) throws(StorageError) -> (generation: OpenGeneration, snapshot: SnapshotTimes.Slot?) {
        guard !hasEnded.load(ordering: .acquiring) else { throw StorageError(.notOpen, "The database is closed.") }
        let entered = store.state.withLock { state -> Result<(OpenGeneration, SnapshotTimes.Slot?), StorageError> in
            guard let generation = state.generation else {
                return .failure(StorageError(.notOpen, "The database \(state.closedBecause)."))
            }
            generation.users += 1
            state.users += 1
            return .success((generation, time.map { state.snapshots.begin(at: $0) }))
        }
        return try entered.get()
    }

    package func leave(_ generation: OpenGeneration, snapshot: SnapshotTimes.Slot? = nil) {
        let (retirement, closing) = store.state.withLock {
            state -> ((@Sendable () -> Void)?, (@Sendable () -> Void)?) in
            if let snapshot { state.snapshots.end(snapshot) }
            generation.users -= 1
            state.users -= 1
            return (
                generation.users == 0 ? generation.retirement : nil,
                state.users == 0 ? state.closing.take() : nil
            )
        }
        retirement?()
        closing?()
    }

    /// The times since when snapshots of this process are open, the oldest first, in nanoseconds of the monotonic
    /// clock.
    var snapshotTimes: [UInt64] { store.state.withLock { $0.snapshots.open } }

    /// Replaces the current engine by `engine`. `retirement` runs once the old one is no longer in use.
    ///
    /// - Parameter setup: the setup of the new generation.
    /// - Parameter setup: that of the new generation.
    func replaceEngine(
        by engine: any StorageEngine,
        _ setup: StorageSetup,
        retirement: @escaping @Sendable () -> Void
    ) {
        let hasOtherEngine = setup.factory.storageType != storageType
        let idle = store.state.withLock { state -> Bool in
            guard let old = state.generation else { return false }
            let present = GenerationBlobs(of: folder, codec: setup.codec)
            // After a change of keys, contents are in another folder.
            let isShared = present.directory == old.blobs.directory
            state.generation = OpenGeneration(
                engine,
                setup,
                isShared ? old.blobs : present,
                number: folder?.manifest.dataGeneration ?? 0
            )
            state.setup = setup
            state.compression = engine.compression
            old.retirement = retirement
            return old.users == 0
        }
        stagedAttachments.noteSwitch()
        if hasOtherEngine {
            compactor.adapt(to: setup.capabilities)
            expiry.adapt(polls: setup.capabilities.sharing == .multiProcess)
        }
        if idle { retirement() }
    }
}
