internal import SetteeStorageFiles
internal import StorageProtocol
internal import Synchronization

/// An open store, which all handles on it in this process share.
final class OpenStore: Sendable {
    let folder: DatabaseFolder?
    /// The engines that the database may be converted to.
    let engines: [any StorageEngineFactory]
    let writers = WriterQueue()
    let stagedAttachments = StagedAttachments()
    /// What stands for an attachment's SHA-1 in tests.
    let attachmentDigest = Locked<(@Sendable ([UInt8]) -> [UInt8])?>(nil)
    /// Snapshots of a database without a folder that may read blobs.
    let ownSnapshots = SnapshotEpochs()
    /// Whether a transaction has been begun that may have left something in a log.
    let hasWritten = Atomic(false)
    /// The change counter that this process saw last: never above the store's.
    let knownChangeCounter = Atomic<UInt64>(0)

    /// Purges what expires.
    let expiry = ExpiryTimer()
    /// Rewrites the files.
    let compactor = Compactor()
    /// Frees what dropped indexes have left.
    let reclaimer = IndexReclaimer()
    /// Tells observers what is committed.
    let changeFeed = ChangeFeed()
    /// Opens when nobody uses the database any more and its files are closed.
    let closed: Latch

    let state: Locked<State>
    /// What commits survive: the most that an opener has asked for.
    let durability: Locked<Durability>
    /// The handles that were given out, the first one too.
    let handles = Locked<[WeakDatabase]>([])

    struct State {
        /// Nil once the database is closed.
        var generation: OpenGeneration?
        /// That of the generation, or of the last one.
        var setup: StorageSetup
        /// That of the generation, or of the last one.
        var compression: Compression
        /// Transactions in progress, of every generation.
        var users = 0
        /// Since when snapshots are open, of every generation.
        var snapshots = SnapshotTimes()
        /// What the last user has to do once the database is closed.
        var closing: (@Sendable () -> Void)?
        var closedBecause = ""
        var whenClosed: (@Sendable () -> Void)?
    }

    init(
        folder: DatabaseFolder?,
        setup: StorageSetup,
        engine: any StorageEngine,
        engines: [any StorageEngineFactory],
        durability: Durability,
        closed: Latch,
        whenClosed: (@Sendable () -> Void)?
    ) {
        self.folder = folder
        self.engines = engines
        self.closed = closed
        self.durability = Locked(durability)
        self.state = Locked(
            State(
                generation: OpenGeneration(
                    engine,
                    setup,
                    GenerationBlobs(of: folder, codec: setup.codec),
                    number: folder?.manifest.dataGeneration ?? 0
                ),
                setup: setup,
                compression: engine.compression,
                whenClosed: whenClosed
            )
        )
    }
}
