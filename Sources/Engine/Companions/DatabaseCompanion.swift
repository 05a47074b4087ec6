package import StorageProtocol

/// An object that an upper module keeps with a database, one of each type. It is made at the first access and released
/// with the database.
package protocol DatabaseCompanion: AnyObject, Sendable {
    /// - Parameter database: must not be held strongly.
    init(of database: Database)

    /// The database is about to close. It still works, and no lock is held. Called at every attempt to close.
    func databaseWillClose()
}

extension Database {
    /// Returns the database's companion of a type.
    package func companion<Companion: DatabaseCompanion>(_ type: Companion.Type) -> Companion {
        companions.companion(type, of: self)
    }

    /// Returns the companion that all handles with the same rights on this open database share. It is not notified when
    /// one of them closes.
    package func sharedCompanion<Companion: DatabaseCompanion>(_ type: Companion.Type) -> Companion {
        sharedCompanions.companion(type, of: self)
    }

    /// Runs `body` when the calling thread's transaction has ended, in the order of registration after a commit and in
    /// reverse after a rollback. It gets whether the transaction was committed, and must not use the database.
    ///
    /// - Throws: `unexpected` (500) outside a transaction.
    package func whenTransactionEnds(_ body: @escaping (_ committed: Bool) -> Void) throws(StorageError) {
        guard case .write(let session) = ThreadContext.current.activity(on: self) else {
            throw StorageError(.unexpected, "There is no transaction whose end could be awaited.")
        }
        session.whenEnded(body)
    }

    /// Runs a closure of the user, in which calls of this database are refused (593).
    ///
    /// - Parameter name: what the message calls the closure.
    package func withClosure<R, E: Error>(_ name: StaticString, _ body: () throws(E) -> R) throws(E) -> R {
        try ThreadContext.current.with(.closure(name), on: self, body)
    }
}
