internal import SetteeStorageFiles
internal import StorageProtocol
internal import Synchronization

/// An open store, shared by all its handles in this process.
final class OpenStore: Sendable {
    let folder: DatabaseFolder?
    /// The engines to which the database may be converted.
    let engines: [any StorageEngineFactory]
    /// Keeps the indexes of all modules that have joined.
    let joinedKeeper = Locked<any IndexKeeper>(NoIndexKeeper())
    let writers = WriterQueue()
    let stagedAttachments: StagedAttachments
    let computedMD5s = ComputedMD5s()
    /// Snapshots of a database without a folder that may read blobs.
    let ownSnapshots = SnapshotEpochs()
    /// Whether a transaction was begun that may have left something in a log.
    let hasWritten = Atomic(false)
    /// How many documents it has, tombstones included.
    let recordCount = RecordCount()
    /// The last change counter that this process has seen: never above the store's.
    let knownChangeCounter = Atomic<UInt64>(0)

    /// Purges expired documents.
    let expiry = ExpiryTimer()
    /// Rewrites the files.
    let compactor = Compactor()
    /// Frees the space of dropped indexes.
    let reclaimer = IndexReclaimer()
    /// Notifies observers of commits.
    let changeFeed = ChangeFeed()
    /// Opens when the database is no longer used and its files are closed.
    let closed: Latch

    let state: Locked<State>
    /// What commits survive: the most that any opening has requested.
    let durability: Locked<Durability>
    /// The handles that were created, including the first one.
    let handles = Locked<[DatabaseReference]>([])

    struct State {
        /// Nil once the database is closed.
        var generation: OpenGeneration?
        /// The setup of the generation, or of the last one.
        var setup: StorageSetup
        /// The compression of the generation, or of the last one.
        var compression: Compression
        /// Transactions in progress, of every generation.
        var users = 0
        /// The start times of open snapshots, of every generation.
        var snapshots = SnapshotTimes()
        /// The work that the last user does after the database was closed.
        var closing: (@Sendable () -> Void)?
        var closedBecause = ""
        var whenClosed: (@Sendable () -> Void)?
    }

    init(
        folder: DatabaseFolder?,
        setup: StorageSetup,
        engine: any StorageEngine,
        engines: [any StorageEngineFactory],
        modules: [DatabaseModule],
        durability: Durability,
        closed: Latch,
        whenClosed: (@Sendable () -> Void)?
    ) {
        self.folder = folder
        self.engines = engines
        self.stagedAttachments = StagedAttachments(digest: modules.lazy.compactMap(\.attachmentDigest).first)
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
        join(modules)
    }
}
