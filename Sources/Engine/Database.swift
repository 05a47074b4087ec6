internal import Dispatch
public import Foundation
internal import SetteeStorageFiles
public import StorageProtocol
internal import Synchronization

/// A database: documents by ID, in one folder (or in memory), stored by one engine.
///
/// All of it may be used from many threads. A transaction or snapshot belongs to the thread that began it, and calls
/// from inside join it. Readers do not wait for the writer, nor it for them; writers wait for each other.
///
/// After `close`, or when the database was deleted, every call throws `notOpen` (503), and observations end.
public final class Database: Sendable {
    /// The name a manager knows it by, or the folder's.
    public let name: String
    /// Its folder, an absolute file URL without symbolic links; nil for a database in memory.
    public var url: URL? { path.map { URL(filePath: $0, directoryHint: .isDirectory) } }
    package let path: String?
    /// The engine that stores it.
    public var storageType: StorageType { setup.factory.storageType }
    /// Whether every write is refused (403).
    public let isReadOnly: Bool
    /// What a commit survives: at least what was asked for when it was opened.
    public var durability: Durability { store.durability.withLock { $0 } }
    /// How it keeps the bodies of documents: chosen when it was made, or converted.
    public var compression: Compression { store.state.withLock { $0.compression } }

    let store: OpenStore
    /// The handle that keeps the store open; nil for that one itself.
    private let origin: Database?
    private let hasEnded = Atomic(false)
    let busyTimeout: Duration
    let validations: ValidationRegistry
    /// How many threads map functions run on.
    package let mappingThreads: Int
    /// Asked once: the system answers from files.
    private static let processorCount = ProcessInfo.processInfo.activeProcessorCount
    /// What upper floors keep here.
    let companions = CompanionShelf()
    /// The same, for all handles of the same rights.
    let sharedCompanions: CompanionShelf

    init(
        name: String,
        folder: DatabaseFolder?,
        setup: StorageSetup,
        engine: any StorageEngine,
        engines: [any StorageEngineFactory],
        isReadOnly: Bool,
        durability: Durability,
        busyTimeout: Duration,
        mappingThreads: Int? = nil,
        closed: Turnstile = Turnstile(),
        whenClosed: (@Sendable () -> Void)? = nil
    ) {
        self.name = name
        self.path = folder?.path
        self.isReadOnly = isReadOnly
        self.busyTimeout = busyTimeout
        self.mappingThreads = max(1, mappingThreads ?? Database.processorCount)
        self.origin = nil
        self.validations = ValidationRegistry()
        self.sharedCompanions = CompanionShelf()
        self.store = OpenStore(
            folder: folder,
            setup: setup,
            engine: engine,
            engines: engines,
            durability: durability,
            closed: closed,
            whenClosed: whenClosed
        )
        store.handles.withLock { $0.append(WeakDatabase(self)) }
        changeFeed.attach(self)
    }

    /// Another handle on the store of `origin`, with rights and options of its own.
    init(sharing origin: Database, isReadOnly: Bool, busyTimeout: Duration, mappingThreads: Int?) {
        self.name = origin.name
        self.path = origin.path
        self.isReadOnly = isReadOnly
        self.busyTimeout = busyTimeout
        self.mappingThreads = max(1, mappingThreads ?? Database.processorCount)
        self.origin = origin.origin ?? origin
        // Who may only read sets no functions for those who write.
        let isOfSameRights = isReadOnly == origin.isReadOnly
        self.validations = isOfSameRights ? origin.validations : ValidationRegistry()
        self.sharedCompanions = isOfSameRights ? origin.sharedCompanions : CompanionShelf()
        self.store = origin.store
    }

    /// A handle for the document of an ID, whether it exists or not. Nothing is read: an ID that is not allowed is
    /// refused by the handle's calls.
    public subscript(id: String) -> Document { Document(DocumentID(unchecked: id), in: self) }

    /// A handle for the document of an ID, whether it exists or not.
    public subscript(id: DocumentID) -> Document { Document(id, in: self) }

    /// As the form above, for rows that may be of no document (grouped and reduced ones): nil for nil.
    public subscript(id: DocumentID?) -> Document? { id.map { self[$0] } }

    /// A handle for a new document with a generated ID (a UUID). Nothing is written until it is saved.
    public func makeDocument() -> Document { self[Database.makeID()] }

    /// The document of an ID if it exists and is not deleted, else nil.
    ///
    /// - Throws: `badID` (494) where the ID is not allowed.
    public func existingDocument(_ id: some DocumentIDConvertible) throws(StorageError) -> Document? {
        let document = self[id.documentIDText]
        return try document.exists ? document : nil
    }

    /// Whether the database can be used: neither closed nor deleted.
    public var isOpen: Bool {
        !hasEnded.load(ordering: .acquiring) && store.state.withLock { $0.generation != nil }
    }

    // MARK: - Generations

    /// The present engine, counted as in use until `leave`.
    func enter() throws(StorageError) -> OpenGeneration { try enter(snapshotAt: nil).generation }

    /// - Parameter time: when a snapshot begins, of the monotonic clock; nil: there is none.
    private func enter(
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

    func leave(_ generation: OpenGeneration, snapshot: SnapshotTimes.Slot? = nil) {
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

    /// Since when snapshots of this process are open, the oldest first, in nanoseconds of the monotonic clock.
    var snapshotTimes: [UInt64] { store.state.withLock { $0.snapshots.open } }

    /// Puts `engine` in the place of the present one. `retirement` runs when nobody uses the old one any more.
    ///
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
            // With other keys contents are in another folder.
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

    /// Ends the database: later calls throw. Waits for calls in progress on other threads; from inside a transaction or
    /// snapshot of this thread it is an error. When it returns, the files are closed. A second call does nothing more.
    ///
    /// The files are closed for all who have the database open in this process. Only where this one is read-only and
    /// somebody else's writes, this one alone ends, at once.
    ///
    /// - Throws: `callback` (593) inside a transaction, snapshot or closure of this thread on this database.
    public func close() throws(StorageError) { try close(because: "is closed") }

    func close(because reason: String) throws(StorageError) {
        guard ThreadContext.current.activity(on: self) == nil else {
            throw StorageError(.callback, "A database cannot be closed from inside its own transaction or closure.")
        }
        if let origin, isReadOnly, !origin.isReadOnly {
            if hasEnded.exchange(true, ordering: .acquiringAndReleasing) { return }
            return endCompanions()
        }
        for handle in store.handles.withLock({ $0.compactMap(\.database) }) { handle.endCompanions() }
        expiry.stop()
        compactor.stop()
        store.reclaimer.stop()
        // No writer is at work while the engine goes: what it leaves behind is tidied under the writer lock.
        var idle: (@Sendable () -> Void)?
        writers.perform {
            idle = store.state.withLock { state -> (@Sendable () -> Void)? in
                guard let generation = state.generation.take() else { return nil }
                state.closedBecause = reason
                state.closing = ending(generation.engine, because: reason, whenClosed: state.whenClosed)
                return state.users == 0 ? state.closing.take() : nil
            }
        }
        changeFeed.close()
        idle?()
        closed.wait()
    }

    private func endCompanions() {
        for companion in companions.all { companion.databaseWillClose() }
    }

    /// The work to do once the last user of the database is gone. The closure does not retain the database, because it
    /// is also made in `deinit`.
    private func ending(
        _ engine: any StorageEngine,
        because reason: String,
        whenClosed: (@Sendable () -> Void)?
    ) -> @Sendable () -> Void {
        let name = self.name
        let folder = self.folder
        let closed = self.closed
        let hasWritten = store.hasWritten.load(ordering: .relaxed)
        return {
            // What others have left in the log is theirs to move, or the engine's, which sees whether it is the last
            // one.
            let locked = hasWritten && (try? folder?.lockWriter(timeout: .zero)) != nil
            if locked { try? engine.checkpoint() }
            engine.close()
            if locked { folder?.unlockWriter() }
            folder?.close()
            whenClosed?()
            closed.open()
            // A handler may open it again, or wait for who does.
            Log.log(.info, .database, "\(name) \(reason)")
        }
    }

    deinit {
        if origin == nil { try? close() }
    }

    // MARK: - Transactions of the calling thread

    /// Runs `body` in the calling thread's write transaction, or in a new one that commits when it returns.
    ///
    /// - Parameters:
    ///   - patience: how long to wait for other processes that write; nil: `busyTimeout`.
    ///   - inBackground: whether writers that wait go first.
    func withWriteSession<R>(
        patience: Duration? = nil,
        inBackground: Bool = false,
        _ body: (WriteSession) throws -> R
    ) throws -> R {
        let context = ThreadContext.current
        switch context.activity(on: self) {
        case .write(let session):
            // The transaction of a handle that may write.
            if isReadOnly { throw StorageError.readOnly }
            return try body(session)
        case .snapshot:
            throw StorageError(
                .callback,
                "Inside `read` the database cannot be written. Write after it, or use `inTransaction`."
            )
        case .closure(let name):
            throw Database.calledFromClosure(name)
        case nil:
            break
        }
        guard !isReadOnly else { throw StorageError.readOnly }
        var outcome: Result<R, any Error>?
        var end: WriteSession.End?
        while true {
            // What works in the background takes no contents.
            if !inBackground { bringStagedAttachments() }
            writers.perform(inBackground: inBackground) {
                // There was a switch before it was our turn.
                if !inBackground, stagedAttachments.needsBringing { return }
                outcome = Result {
                    try runWriteSession(in: context, patience: patience ?? busyTimeout, &end, body)
                }
            }
            guard let outcome else { continue }
            // Not while others wait: a handler may write.
            end?.log(name)
            return try outcome.get()
        }
    }

    private func runWriteSession<R>(
        in context: ThreadContext,
        patience: Duration,
        _ end: inout WriteSession.End?,
        _ body: (WriteSession) throws -> R
    ) throws -> R {
        let generation = try enter()
        defer { leave(generation) }
        try folder?.lockWriter(timeout: patience)
        defer { folder?.unlockWriter() }
        try context.gate?.beginWriting()
        // Work of this process itself, such as the end of a copy, is waited for at least a second.
        let transaction = try generation.engine.beginWrite(patience: max(.seconds(1), patience))
        store.hasWritten.store(true, ordering: .relaxed)
        let session = WriteSession(transaction, in: generation, of: self)
        var committed = false
        defer { session.end(committed: committed) }
        let result: R
        do {
            result = try context.with(.write(session), on: self) { try body(session) }
            if let doom = session.doom { throw doom }
            try session.settle()
        } catch {
            transaction.rollback()
            end = .rolledBack(error)
            throw error
        }
        let commit = session.announced.committed
        let isAnnounced = changeFeed.willCommit(commit)
        do {
            try transaction.commit()
        } catch {
            if isAnnounced { changeFeed.didNotCommit() }
            throw error
        }
        committed = true
        changeFeed.didCommit(commit, isAnnounced: isAnnounced)
        if commit == nil, session.changes > 0 { changeFeed.didChangeViews() }
        if let counter = session.knownChangeCounter { note(changeCounter: counter) }
        end = .committed(changes: session.changes)
        if let soonest = session.soonestExpiry { expiry.note(soonest) }
        if session.changes > 0 { compactor.noteCommit() }
        if session.hasDroppedIndexes { store.reclaimer.note() }
        return result
    }

    /// One change, in the calling thread's transaction or in one of its own.
    package func change<R>(
        patience: Duration? = nil,
        inBackground: Bool = false,
        _ body: (WriteSession) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        do {
            return try withWriteSession(patience: patience, inBackground: inBackground) { session in
                try session.attempt { () throws(StorageError) in try body(session) }
            }
        } catch let error as StorageError {
            if error.code.isStorageFailure {
                Log.log(.error, .storage, "\(name): a change failed: \(Log.describe(error))")
            } else if error.code == .conflict {
                Log.log(.debug, .document, "\(name): a change met a conflict")
            }
            throw error
        } catch {
            throw StorageError(.unexpected, "A change failed.", cause: error)
        }
    }

    /// Runs `body` on the calling thread's transaction or snapshot, or on a new snapshot.
    ///
    /// - Parameters:
    ///   - readsBlobs: whether `body` reads blobs. If so, the snapshot is announced to other processes, which then keep
    ///     the blobs it refers to.
    ///   - beginsAtOnce: whether a new snapshot must show the state from before `body` runs. If not, it may show the
    ///     state at its first read. That is cheaper, and the same for a `body` that reads at once.
    package func withReadTransaction<R>(
        readsBlobs: Bool = false,
        beginsAtOnce: Bool = false,
        _ body: (any ReadTransaction) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try withReadGeneration(readsBlobs: readsBlobs, beginsAtOnce: beginsAtOnce) {
            (transaction, _) throws(StorageError) in
            try body(transaction)
        }
    }

    /// The same, with the generation that is read.
    func withReadGeneration<R>(
        readsBlobs: Bool = false,
        beginsAtOnce: Bool = false,
        _ body: (any ReadTransaction, OpenGeneration) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        switch ThreadContext.current.activity(on: self) {
        case .write(let session):
            return try body(try session.transaction, session.generation)
        case .snapshot(let transaction, let generation):
            return try body(transaction, generation)
        case .closure(let name):
            throw Database.calledFromClosure(name)
        case nil:
            break
        }
        let (generation, snapshot) = try enter(snapshotAt: DispatchTime.now().uptimeNanoseconds)
        defer { leave(generation, snapshot: snapshot) }
        let epoch = readsBlobs ? beginBlobSnapshot() : nil
        defer { if let epoch { endBlobSnapshot(epoch) } }
        let engine = generation.engine
        let transaction = try beginsAtOnce ? engine.beginRead() : engine.beginSingleRead()
        defer { transaction.end() }
        return try body(transaction, generation)
    }

    /// Says, before a snapshot is opened, that blobs of its state will be read, so that no collection takes them.
    private func beginBlobSnapshot() -> SnapshotToken {
        let known = store.knownChangeCounter.load(ordering: .relaxed)
        return folder?.beginSnapshot(changeCounter: known) ?? store.ownSnapshots.announce(known)
    }

    private func endBlobSnapshot(_ token: SnapshotToken) {
        if let folder { folder.endSnapshot(token) } else { store.ownSnapshots.withdraw(token) }
    }

    /// The lowest change counter of all snapshots that may read blobs, in all processes; nil where there is none.
    func oldestBlobSnapshot() throws(StorageError) -> UInt64? {
        let generation = try enter()
        defer { leave(generation) }
        switch try generation.engine.oldestSnapshot() {
        case .changeCounter(let counter): return counter
        case .none: return nil
        case .notKept: break
        }
        if let folder { return try folder.oldestSnapshotInAnyProcess() }
        return store.ownSnapshots.oldest
    }

    /// Remembers the change counter of a commit or snapshot, so that later snapshots can be dated.
    func note(changeCounter: UInt64) {
        store.knownChangeCounter.max(changeCounter, ordering: .relaxed)
    }

    /// Keeps writers of this process away while `body` runs.
    func withoutWriters<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
        guard ThreadContext.current.activity(on: self) == nil else {
            throw StorageError(
                .callback,
                "This cannot be called from inside a transaction, snapshot or closure of the database."
            )
        }
        var outcome: Result<R, StorageError>?
        writers.perform {
            do throws(StorageError) { outcome = .success(try body()) } catch { outcome = .failure(error) }
        }
        guard let outcome else { throw StorageError(.unexpected, "The work did not run.") }
        return try outcome.get()
    }

    private static func calledFromClosure(_ name: StaticString) -> StorageError {
        StorageError(
            .callback,
            "The database was called from inside its own \(name) closure. Read what is needed before."
        )
    }
}
