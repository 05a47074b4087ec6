internal import Dispatch
package import SetteeStorageFiles
package import StorageProtocol
internal import Synchronization

extension Database {
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

    /// Does the same, and passes the generation that is read.
    package func withReadGeneration<R>(
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

    /// Announces, before a snapshot is opened, that blobs of its state will be read, so that no collection removes
    /// them.
    package func beginBlobSnapshot() -> SnapshotToken {
        let known = store.knownChangeCounter.load(ordering: .relaxed)
        return folder?.beginSnapshot(changeCounter: known) ?? store.ownSnapshots.announce(known)
    }

    package func endBlobSnapshot(_ token: SnapshotToken) {
        if let folder { folder.endSnapshot(token) } else { store.ownSnapshots.withdraw(token) }
    }

    /// Returns the lowest change counter of all snapshots that may read blobs, in all processes; nil if there is none.
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
}
