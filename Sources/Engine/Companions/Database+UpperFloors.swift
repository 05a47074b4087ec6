internal import SetteeStorageFiles
package import StorageProtocol

/// What floors above Engine ask a database for, beside reading and changing it.
extension Database {
    /// What the calling thread is doing with the database.
    package enum ThreadActivity {
        case none
        case snapshot
        case write(WriteSession)
        /// A user's closure, in which calls of the database are refused.
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

    /// Whether the one who writes in the background is to make room for another.
    package var hasWaitingWriters: Bool { writers.isWanted }

    /// Whether somebody has written, or waited to, a moment ago.
    package var isBeingWritten: Bool { writers.isInUse }

    /// The name of this opening of the database's folder, which no other opening ever has; empty in memory.
    package var openingName: String { folder?.holderName ?? "" }

    /// Whether `name` is that of another opening, which still goes on.
    package func isOpenElsewhere(as name: String) throws(StorageError) -> Bool {
        guard let folder, name != folder.holderName else { return false }
        return try folder.isHeld(as: name)
    }

    /// Wakes those who observe views too, without a change of a document.
    package func didChangeViews() { changeFeed.didChangeViews() }

    /// Tells when something has changed, not what.
    ///
    /// - Parameter wantsViewChanges: whether also where views change.
    package func observeChanges(wantsViewChanges: Bool) -> ChangeObservation {
        changeFeed.subscribe(following: nil, limit: 1, wantsViewChanges: wantsViewChanges)
    }

    /// The sequence up to which purges are not known any more: 0 if all are.
    package func forgottenPurges(in transaction: any ReadTransaction) throws(StorageError) -> UInt64 {
        try StoredChanges.forgottenSequence(transaction)
    }
}
