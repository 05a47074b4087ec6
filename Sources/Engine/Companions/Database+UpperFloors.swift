internal import SetteeStorageFiles
package import StorageProtocol

/// What modules above Engine need of a database, beside reading and changing it.
extension Database {
    /// What the calling thread is doing with the database.
    package enum ThreadActivity {
        case none
        case snapshot
        case write(WriteSession)
        /// Inside a closure of the user, where calls of the database are refused.
        case closure
    }

    package var threadActivity: ThreadActivity {
        switch ThreadContext.current.activity(on: self) {
        case nil: .none
        case .snapshot: .snapshot
        case .write(let session): .write(session)
        case .closure: .closure
        }
    }

    /// Whether the thread that writes in the background should let another one go first.
    package var hasWaitingWriters: Bool { writers.isWanted }

    /// Whether a thread has just written or begun to wait.
    package var isBeingWritten: Bool { writers.isInUse }

    /// The name of this opening of the database folder, which no other opening ever has; empty in memory.
    package var openingName: String { folder?.holderName ?? "" }

    /// Whether `name` belongs to another opening that still exists.
    package func isOpenElsewhere(as name: String) throws(StorageError) -> Bool {
        guard let folder, name != folder.holderName else { return false }
        return try folder.isHeld(as: name)
    }

    /// Wakes observers of views, too, without a change of a document.
    package func didChangeViews() { changeFeed.didChangeViews() }

    /// Reports which documents change, as long as few change at once.
    ///
    /// - Parameters:
    ///   - limit: if more changes wait, they are reported as missed.
    ///   - wantsViewChanges: whether changes of views and indexes are reported, too: as something that was missed.
    package func observeChanges(limit: Int, wantsViewChanges: Bool) -> ChangeObservation {
        changeFeed.subscribe(following: nil, limit: limit, wantsViewChanges: wantsViewChanges)
    }

    /// The sequence up to which purges are no longer known: 0 if all are known.
    package func forgottenPurges(in transaction: any ReadTransaction) throws(StorageError) -> UInt64 {
        try StoredChanges.forgottenSequence(transaction)
    }

    /// Lets a module take part in the work of this open database. Its indexes are kept beside those
    /// of the modules that joined before.
    package func join(_ module: DatabaseModule) { store.join([module]) }
}
