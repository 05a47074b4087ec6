/// One open store: documents with their revisions, indexes, and the counts of blob references, in one directory.
///
/// This contract may be implemented by third parties. `StorageConformance` is its acceptance test: an engine that does
/// not pass it is not an engine.
///
/// **Threads.** Every requirement may be called from any thread. A transaction belongs to the thread that began it,
/// from beginning to end; a call from another thread is a `callback` error (593) and changes nothing. Readers never
/// block the writer, nor the writer readers.
///
/// **Who locks.** At most one write transaction lives at a time in the process: `beginWrite` waits for the one before.
/// Between processes the caller holds the database folder's `writer` lock around every `beginWrite` ... `commit` and
/// `checkpoint`; an engine need not lock again, but may.
///
/// **After a failure.** An error whose code is a storage failure (`StorageError.Code.isStorageFailure`) inside a write
/// transaction dooms it: it can only be rolled back. Whatever was committed before stays. A refusal (any other code)
/// leaves the transaction as it was before the call. An error of a caller's closure comes out as it is and dooms
/// nothing.
public protocol StorageEngine: AnyObject, Sendable {
    /// The type that its factory opens.
    var storageType: StorageType { get }

    /// What the store can do: what its factory says. There is no default: whoever wraps an engine passes its value on.
    var capabilities: StorageCapabilities { get }

    /// How the store keeps bodies: chosen when it was made.
    var compression: Compression { get }

    /// Where the engine keeps attachments' contents itself; nil where they are files beside it, which are the caller's
    /// business. The same object at each call. An engine whose stores are not in a folder has one.
    var blobStore: (any BlobStore)? { get }

    /// What was found wrong when the store was opened, of which its files may not tell any more: commits that a damaged
    /// log has lost. The store works without them. `verify` reports it too, as long as the store is open.
    var openingProblems: [StorageProblem] { get }

    /// Begins a consistent snapshot: it sees what was committed before this call returned, and nothing later. The
    /// caller must end it on the same thread.
    ///
    /// - Throws: `busy` (595) where the engine has as many snapshots open as it can have, `notOpen` (503), or a storage
    ///   failure.
    func beginRead() throws(StorageError) -> any ReadTransaction

    /// As `beginRead`, but the snapshot may begin as late as its first read: for callers that read at once, and mostly
    /// only once. By itself it is `beginRead`; an engine to which beginning costs something answers in its own way.
    func beginSingleRead() throws(StorageError) -> any ReadTransaction

    /// Begins the one write transaction; waits for another thread's. Its reads see its own writes.
    ///
    /// - Parameter patience: how long to wait for another thread's; nil: as long as it takes. Where another program
    ///   holds the file it is the engine's to say how long that may take.
    /// - Throws: `readOnly` (403), `busy` (595) where the patience ends or another program holds the file, `full`
    ///   (507), `callback` (593) where this thread has begun a write transaction already, or a storage failure. No
    ///   transaction has begun then.
    func beginWrite(patience: Duration?) throws(StorageError) -> any WriteTransaction

    /// Sees to it that commits of write transactions that are begun from now on are as with `Durability.full`, until
    /// the engine is closed. Nothing happens where they are already. May be called inside a transaction of this thread.
    ///
    /// - Throws: `notImplemented` (501) where the engine cannot do so once it is open; `readOnly` (403), `notOpen`
    ///   (503).
    func raiseDurability() throws(StorageError)

    /// Makes all that was committed before, by any process and with any durability, survive power loss, whoever reads
    /// meanwhile; and moves what commits have left in a log into the data file, as far as readers allow. Called under
    /// the `writer` lock. On the thread that has the write transaction nothing is moved, and what that transaction has
    /// written is not part of it.
    ///
    /// - Throws: `readOnly` (403), `full` (507), `notOpen` (503), or a storage failure: then nothing is known to be on
    ///   disk.
    func checkpoint() throws(StorageError)

    /// Writes the whole present content, in order and packed, into `directory`, which is empty: the same storage type,
    /// sequences and counters. The copy is on disk (synced) when this returns. It is of one state, as a
    /// snapshot is: writers may go on. A caller that needs the last state keeps them away.
    /// On an error the directory's content is undefined and is the caller's to remove.
    ///
    /// - Parameters:
    ///   - options: the copy's key and compression.
    ///   - progress: called now and then on the calling thread, with how much is done of how much, in a unit of
    ///     the engine's choice. Throwing stops the copy with that error.
    /// - Throws: `notImplemented` (501) where `capabilities.canCopy` is false, or the copy cannot have another key or
    ///   compression than the store (`requireSame`), before anything is written; `full` (507), `notOpen` (503), or a
    ///   storage failure.
    func copy(
        toDirectory directory: String,
        options: StorageCopyOptions,
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    )
        throws(StorageError)

    /// Begins a packed copy of the store into `directory`, which is empty. It is made in steps and follows what this
    /// process writes meanwhile. Waits for this process's write transaction to end. One rewrite at a time is under way.
    /// Called under the `writer` lock: an engine may commit something of its own first.
    ///
    /// - Parameter options: the copy's key and compression.
    /// - Throws: `notImplemented` (501) where `capabilities.compaction` is not `inSteps`, or as `copy`; `callback`
    ///   (593) where this thread has begun a write transaction, or where a rewrite is under way; `readOnly` (403),
    ///   `notOpen` (503), `full` (507), or a storage failure.
    func beginRewrite(
        toDirectory directory: String,
        options: StorageCopyOptions
    ) throws(StorageError) -> any StorageRewrite

    /// Gives back the space that the store no longer needs, in place: for engines whose `capabilities.compaction` is
    /// `byItself`. Readers and writers go on. After a kill at any moment the store has the same content. Only an engine
    /// that has its store to itself (`exclusive`), or whose store is in no folder, can be one of these.
    ///
    /// - Parameter progress: as in `copy`. Throwing stops the work with that error; what was done stays.
    /// - Throws: `notImplemented` (501) for every other engine; `callback` (593) on a thread that has begun a write
    ///   transaction; `readOnly` (403), `notOpen` (503), `full` (507), or a storage failure.
    func compact(progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void) throws(StorageError)

    /// The oldest snapshot that anybody has, in any process. What went to the trash of blobs before that is deleted: in
    /// doubt an engine names a lower counter. It is asked after the commit that wrote the last one of the trash, and by
    /// itself says `notKept`.
    ///
    /// - Throws: `notOpen` (503), or a storage failure.
    func oldestSnapshot() throws(StorageError) -> OldestSnapshot

    /// The engine's own integrity: what only it can see (pages, trees of its files). Problems are handed to `report`;
    /// an error is thrown only where checking itself is impossible.
    ///
    /// - Parameter progress: as in `copy`; not called while `report` runs. Throwing stops the check with that error.
    func verify(
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError)

    /// Figures of the store as it is now. Complexity: flat, whatever the number of documents.
    func statistics() throws(StorageError) -> StorageStatistics

    /// Ends the engine: waits for no one. Transactions still open fail at their next call (`notOpen`), without
    /// trapping; so do later calls of any kind. A second call does nothing.
    func close()
}

extension StorageEngine {
    public var blobStore: (any BlobStore)? { nil }

    public func beginSingleRead() throws(StorageError) -> any ReadTransaction { try beginRead() }

    /// Begins the one write transaction; waits for another thread's as long as it takes.
    public func beginWrite() throws(StorageError) -> any WriteTransaction { try beginWrite(patience: nil) }

    public var openingProblems: [StorageProblem] { [] }

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

    /// Checks without telling how far it is.
    public func verify(_ report: (StorageProblem) -> Void) throws(StorageError) {
        try verify(progress: { (_, _) throws(StorageError) in }, report)
    }

    /// A copy with the store's own key and compression.
    public func copy(
        toDirectory directory: String,
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        try copy(toDirectory: directory, options: StorageCopyOptions(), progress: progress)
    }

    /// A rewrite with the store's own key and compression.
    public func beginRewrite(toDirectory directory: String) throws(StorageError) -> any StorageRewrite {
        try beginRewrite(toDirectory: directory, options: StorageCopyOptions())
    }

    /// Runs `body` on a consistent snapshot and ends the snapshot.
    public func read<R>(_ body: (any ReadTransaction) throws(StorageError) -> R) throws(StorageError) -> R {
        let transaction = try beginRead()
        defer { transaction.end() }
        return try body(transaction)
    }

    /// Runs `body` in a write transaction: commits when it returns, rolls back when it throws. The body's error wins
    /// over one of the roll-back.
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
