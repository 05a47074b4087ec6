internal import StorageProtocol

extension Database {
    /// The UUID by which others may know this database: random, in lower case, the same for the lifetime of the
    /// database. A copy has another.
    ///
    /// - Throws: `readOnly` (403) if the database has none yet and is open read-only; `notOpen` (503), `callback`
    ///   (593).
    public var publicUUID: String { get throws(StorageError) { try uuid(InfoKey.publicUUID) } }

    /// The UUID that only this database uses, to name its state towards others (checkpoints of replication). Keep it
    /// secret: anyone who has it can pose as this database.
    ///
    /// - Throws: as `publicUUID`.
    public var privateUUID: String { get throws(StorageError) { try uuid(InfoKey.privateUUID) } }

    /// The private UUID of the database from which this one was copied, by `copy` or `Manager.replaceDatabase`; nil for
    /// a database that was created new. What the original has exchanged with others is recorded under it.
    public var previousPrivateUUID: String? {
        get throws(StorageError) {
            try withReadTransaction { (transaction) throws(StorageError) in
                try transaction.info(InfoKey.previousPrivateUUID).map { String(decoding: $0, as: UTF8.self) }
            }
        }
    }

    /// `previousPrivateUUID`, and behind it the private UUIDs of the databases that the original was copied from, the
    /// newest first, at most 16. A backup that is put in the place of its database is a copy of a copy.
    package var originalPrivateUUIDs: [String] {
        get throws(StorageError) {
            try withReadTransaction { (transaction) throws(StorageError) in
                try DatabaseIdentity.originals(in: transaction)
            }
        }
    }

    private func uuid(_ key: String) throws(StorageError) -> String {
        if let known = try storedUUID(key) { return known }
        // A folder from before databases had UUIDs.
        guard !isReadOnly else {
            throw StorageError(
                .readOnly,
                "The database has no UUIDs yet. Open it once with write permission and ask for one."
            )
        }
        try change { (session) throws(StorageError) in
            session.noteChange()
            try DatabaseIdentity.make(in: session.transaction)
        }
        guard let made = try storedUUID(key) else { throw StorageError(.unexpected, "The UUID was not kept.") }
        return made
    }

    private func storedUUID(_ key: String) throws(StorageError) -> String? {
        try withReadTransaction { (transaction) throws(StorageError) in
            try transaction.info(key).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
