internal import SetteeEncryption
internal import SetteeStorageFiles
public import StorageProtocol

extension Database {
    /// Replaces the key that opens the database. Nothing is encrypted again: the key with which the data is encrypted
    /// stays, and is stored in the manifest for the new key. A copy of the folder from before can still be opened with
    /// the old key.
    ///
    /// When the call returns, the old key is in no file of the folder any more. A kill leaves the old key or the new
    /// one.
    ///
    /// - Parameters:
    ///   - key: a passphrase, from which a key is derived here (a fraction of a second), or a raw key.
    ///   - derivation: how slowly a key is derived from a passphrase.
    /// - Throws: `badParameter` (495) if the database is not encrypted, and for a derivation out of its bounds; `inUse`
    ///   (423) naming the processes that have it open, `conflict` (409) if another key was set during the call,
    ///   `readOnly` (403), `callback` (593) inside a transaction or snapshot, `full` (507), `notOpen` (503).
    /// - Complexity: O(1) in the size of the database.
    public func changeKey(to key: StorageKey, derivation: KeyDerivation = .standard) throws(StorageError) {
        try requireRekeyable()
        let before = folder?.manifest.members ?? ManifestMembers(storageType: storageType)
        let setup = setup
        guard let folder, let keys = setup.keys, let ring = setup.ring else {
            throw StorageError(.badParameter, "The database is not encrypted: it has no key to be changed.")
        }
        try key.requireSettable()
        // Before any lock is taken, because it is slow.
        let slot = try KeySlot(wrapping: keys.dataKey, with: key, cost: derivation.cost)
        try compactor.pausing(forRewrite: false) { () throws(StorageError) in
            try withoutWriters { () throws(StorageError) in
                try folder.requireAlone()
                try folder.lockWriter(timeout: busyTimeout)
                defer { folder.unlockWriter() }
                var members = folder.manifest.members
                // Another thread may have changed or removed its key by now.
                guard members.keySlots == before.keySlots, self.setup.hasKeys(of: setup), isOpen else {
                    throw Database.keyHasChanged
                }
                members.keySlots = [slot.text]
                try folder.replaceMembers(members, seal: keys.seal(of: members.databaseUUID))
                ring.change(slots: KeySlots(members.keySlots), key: key)
            }
        }
        Log.log(.info, .database, "\(name) has another key")
    }

    /// Encrypts everything again: makes a new data key, which the new key opens, and rewrites data and attachments with
    /// it. Somebody with an old copy of the folder and its key cannot read anything written from now on.
    ///
    /// Others may write while attachments are rewritten, and wait while the data is. After a kill the old key opens the
    /// database as it was, or the new key opens the new one. Open snapshots continue to work; the old files are removed
    /// with the last of them.
    ///
    /// - Parameters:
    ///   - key: a passphrase, from which a key is derived here (a fraction of a second), or a raw key.
    ///   - derivation: how slowly a key is derived from a passphrase.
    ///   - progress: called now and then, on the calling thread. It must not call the database.
    /// - Throws: `badParameter` (495) if the database is not encrypted, and for a derivation out of its bounds; `inUse`
    ///   (423) naming the processes that have it open, `conflict` (409) if the files were rewritten during the call,
    ///   `full` (507) if the disk has no room for a second copy, `readOnly` (403), `callback` (593) inside a
    ///   transaction or snapshot, `corrupt` (591) for damaged attachments, `notOpen` (503). After an error the database
    ///   is unchanged.
    /// - Complexity: O(size of the database and its attachments).
    public func rotateKey(
        to key: StorageKey,
        derivation: KeyDerivation = .standard,
        progress: @escaping (ConversionProgress) -> Void = { _ in }
    ) throws(StorageError) {
        try requireRekeyable()
        let present = setup
        guard present.isEncrypted else {
            throw StorageError(.badParameter, "The database is not encrypted: it has no key to be changed.")
        }
        let target = try ConversionTarget(
            withNew: key,
            derivation,
            for: present,
            as: present,
            after: EarlierConversion(of: self)
        )
        try DatabaseConversion(of: self, to: target, progress: progress).run()
        Log.log(.info, .database, "\(name) has a new data key")
    }

    static let keyHasChanged = StorageError(
        .conflict,
        "The database has got another key or engine meanwhile. Try again, with the key that it has now."
    )

    private func requireRekeyable() throws(StorageError) {
        try requireConvertible("The key cannot be changed from inside the database's transaction or closure.")
    }

    /// Checks whether this handle may rewrite the database.
    func requireConvertible(_ insideTransaction: String) throws(StorageError) {
        guard ThreadContext.current.activity(on: self) == nil else {
            throw StorageError(.callback, insideTransaction)
        }
        guard isOpen else { throw StorageError(.notOpen, "The database is closed.") }
        guard !isReadOnly else { throw .readOnly }
    }
}
