/// An open store: documents with their revisions, indexes, and the counts of blob references, in one directory.
///
/// Third parties may implement this contract. `StorageConformance` is its acceptance test: an engine that does not pass
/// it is not an engine.
///
/// **Threads.** Every requirement may be called from any thread. A transaction belongs to the thread that began it,
/// from beginning to end. A call from another thread throws `callback` (593) and changes nothing. Readers never block
/// the writer, and the writer never blocks readers.
///
/// **Locking.** A process has at most one write transaction at a time: `beginWrite` waits for the previous one to end.
/// Between processes, the caller holds the database folder's `writer` lock around every `beginWrite` ... `commit` and
/// every `checkpoint`. An engine need not take locks of its own, but it may.
///
/// **Failures.** In a write transaction, an error whose code is a storage failure
/// (`StorageError.Code.isStorageFailure`) dooms the transaction: it can only be rolled back. Whatever was committed
/// before stays. An error with any other code is a refusal and leaves the transaction as it was before the call. An
/// error thrown by a caller's closure is passed on unchanged and does not doom the transaction.
public protocol StorageEngine: AnyObject, Sendable {
    /// The type of the stores that its factory opens.
    var storageType: StorageType { get }

    /// What the store can do. Equals the value of its factory. There is no default, so that a wrapper of an engine
    /// passes on the value of that engine.
    var capabilities: StorageCapabilities { get }

    /// How the store keeps bodies. Chosen when the store was created.
    var compression: Compression { get }

    /// The blob store of an engine that keeps the contents of attachments itself. Nil if they are files beside the
    /// store, which the caller manages. Always the same object. An engine whose stores are not in a folder has one.
    var blobStore: (any BlobStore)? { get }

    /// Problems found when the store was opened that its files may no longer show, such as commits lost in a damaged
    /// log. The store works without them. `verify` also reports them as long as the store is open.
    var openingProblems: [StorageProblem] { get }

    /// Returns what the engine's own threads have failed to do since the last call, such as rewriting a damaged file.
    /// Called after each commit and before the engine is closed, by a caller that logs it. `verify` also reports it as
    /// long as the store is open. The default implementation returns nothing.
    func takeBackgroundProblems() -> [StorageProblem]

    /// Begins a consistent snapshot. It sees everything that was committed before this call returned, and nothing
    /// later. The caller must end it on the same thread.
    ///
    /// - Throws: `busy` (595) if the engine cannot open any more snapshots, `notOpen` (503), or a storage failure.
    func beginRead() throws(StorageError) -> any ReadTransaction

    /// Begins a snapshot like `beginRead`, but it may be taken as late as at the first read. For callers that read at
    /// once, and mostly only once. The default implementation calls `beginRead`; engines where beginning a transaction
    /// is costly provide their own.
    func beginSingleRead() throws(StorageError) -> any ReadTransaction

    /// Begins the one write transaction. Waits while another thread has one. Its reads see its own writes.
    ///
    /// - Parameter patience: How long to wait for another thread; nil: as long as it takes. If another program holds
    ///   the file, the engine decides how long to wait for it.
    /// - Throws: `readOnly` (403), `busy` (595) if the patience ends or another program holds the file, `full` (507),
    ///   `callback` (593) if this thread has already begun a write transaction, or a storage failure. No transaction
    ///   has begun then.
    func beginWrite(patience: Duration?) throws(StorageError) -> any WriteTransaction

    /// Gives the commits of all write transactions begun from now on `Durability.full`, until the engine is closed.
    /// Does nothing if they already have it. May be called inside a transaction of this thread.
    ///
    /// - Throws: `notImplemented` (501) if the engine cannot change this while it is open; `readOnly` (403), `notOpen`
    ///   (503).
    func raiseDurability() throws(StorageError)

    /// Makes everything committed so far, by any process and with any durability, survive power loss, even while there
    /// are readers. Also moves what commits have left in a log into the data file, as far as readers allow. Called
    /// under the `writer` lock. On the thread that has the write transaction nothing is moved, and the writes of that
    /// transaction are not included.
    ///
    /// - Throws: `readOnly` (403), `full` (507), `notOpen` (503), or a storage failure. After an error nothing is known
    ///   to be on disk.
    func checkpoint() throws(StorageError)

    /// Writes the whole current content, in order and packed, into `directory`, which is empty. The copy has the same
    /// storage type, sequences and counters, and is on disk (synced) when this returns. It shows a single state, as a
    /// snapshot does, and writers may go on. A caller that needs the last state keeps writers away. After an error the
    /// content of the directory is undefined, and the caller removes it.
    ///
    /// - Parameters:
    ///   - options: The copy's key and compression.
    ///   - progress: Called from time to time on the calling thread with the amount done and the total, in a unit of
    ///     the engine's choice. Throwing stops the copy with that error.
    /// - Throws: `notImplemented` (501) if `capabilities.canCopy` is false, or if the copy cannot have a key or
    ///   compression other than the store's (`requireSame`), before anything is written; `full` (507), `notOpen` (503),
    ///   or a storage failure.
    func copy(
        toDirectory directory: String,
        options: StorageCopyOptions,
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    )
        throws(StorageError)

    /// Begins a packed copy of the store into `directory`, which is empty. The copy is made in steps and follows the
    /// writes of this process. Waits for this process's write transaction to end. Only one rewrite can be in progress
    /// at a time. Called under the `writer` lock, because an engine may first commit something of its own.
    ///
    /// - Parameter options: The copy's key and compression.
    /// - Throws: `notImplemented` (501) if `capabilities.compaction` is not `inSteps`, or as for `copy`; `callback`
    ///   (593) if this thread has begun a write transaction or a rewrite is in progress; `readOnly` (403), `notOpen`
    ///   (503), `full` (507), or a storage failure.
    func beginRewrite(
        toDirectory directory: String,
        options: StorageCopyOptions
    ) throws(StorageError) -> any StorageRewrite

    /// Frees the space that the store no longer needs, in place. For engines whose `capabilities.compaction` is
    /// `byItself`. Readers and writers can go on. If the process is killed at any moment, the content of the store is
    /// unchanged. Only an engine that has its store to itself (`exclusive`), or whose store is not in a folder, can
    /// support this.
    ///
    /// - Parameter progress: As in `copy`. Throwing stops the work with that error; what was done stays.
    /// - Throws: `notImplemented` (501) for every other engine; `callback` (593) on a thread that has begun a write
    ///   transaction; `readOnly` (403), `notOpen` (503), `full` (507), or a storage failure.
    func compact(progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void) throws(StorageError)

    /// Returns the oldest open snapshot of any process. Blobs that were moved to the trash before it are then deleted,
    /// so in doubt an engine returns a lower counter. Called after the commit that wrote the last of the blobs in the
    /// trash. The default implementation returns `notKept`.
    ///
    /// - Throws: `notOpen` (503), or a storage failure.
    func oldestSnapshot() throws(StorageError) -> OldestSnapshot

    /// Checks what only the engine can see (the pages and trees of its files). Problems are passed to `report`. An
    /// error is thrown only if the check itself is impossible.
    ///
    /// - Parameter progress: As in `copy`; not called while `report` runs. Throwing stops the check with that error.
    func verify(
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError)

    /// Returns figures about the current store. Complexity: independent of the number of documents.
    func statistics() throws(StorageError) -> StorageStatistics

    /// Closes the engine without waiting. The next call of a transaction that is still open throws `notOpen` (503) and
    /// does not trap, and so does any later call of the engine. A second call does nothing.
    func close()
}

extension StorageEngine {
    public var blobStore: (any BlobStore)? { nil }

    public func beginSingleRead() throws(StorageError) -> any ReadTransaction { try beginRead() }

    /// Begins the one write transaction. Waits as long as another thread has one.
    public func beginWrite() throws(StorageError) -> any WriteTransaction { try beginWrite(patience: nil) }

    public var openingProblems: [StorageProblem] { [] }

    public func takeBackgroundProblems() -> [StorageProblem] { [] }

    public func raiseDurability() throws(StorageError) {
        throw StorageError(
            .notImplemented,
            "Stores of type '\(storageType)' that are open without syncing commits cannot begin to. Close the database "
                + "first."
        )
    }

    public func copy(
        toDirectory directory: String,
        options: StorageCopyOptions,
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        throw StorageError(.notImplemented, "Databases of type '\(storageType)' cannot be copied.")
    }

    public func beginRewrite(
        toDirectory directory: String,
        options: StorageCopyOptions
    ) throws(StorageError) -> any StorageRewrite {
        throw StorageError(.notImplemented, "Stores of type '\(storageType)' are not rewritten in steps.")
    }

    public func compact(
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        throw StorageError(.notImplemented, "Stores of type '\(storageType)' do not compact themselves.")
    }

    public func oldestSnapshot() throws(StorageError) -> OldestSnapshot { .notKept }

    /// Checks the store without reporting progress.
    public func verify(_ report: (StorageProblem) -> Void) throws(StorageError) {
        try verify(progress: { (_, _) throws(StorageError) in }, report)
    }

    /// Copies the store with its own key and compression.
    public func copy(
        toDirectory directory: String,
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        try copy(toDirectory: directory, options: StorageCopyOptions(), progress: progress)
    }

    /// Begins a rewrite with the store's own key and compression.
    public func beginRewrite(toDirectory directory: String) throws(StorageError) -> any StorageRewrite {
        try beginRewrite(toDirectory: directory, options: StorageCopyOptions())
    }

    /// Runs `body` on a consistent snapshot, then ends the snapshot.
    public func read<R>(_ body: (any ReadTransaction) throws(StorageError) -> R) throws(StorageError) -> R {
        let transaction = try beginRead()
        defer { transaction.end() }
        return try body(transaction)
    }

    /// Runs `body` in a write transaction. Commits when it returns and rolls back when it throws. Throws the error of
    /// `body` if there is one.
    @discardableResult
    public func write<R>(_ body: (any WriteTransaction) throws(StorageError) -> R) throws(StorageError) -> R {
        let transaction = try beginWrite()
        let result: R
        do {
            result = try body(transaction)
        } catch {
            transaction.rollback()
            throw error
        }
        try transaction.commit()
        return result
    }
}
