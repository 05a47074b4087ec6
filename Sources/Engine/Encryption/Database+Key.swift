internal import SetteeEncryption
internal import SetteeStorageFiles
public import StorageProtocol

extension Database {
    /// Has another key open the database, and no other key any more. Nothing is encrypted anew: the key that the data
    /// is encrypted with stays, and is kept in the manifest for the new one. Whoever has a copy of the folder from
    /// before can still open that copy with the old key.
    ///
    /// When it returns, the old key is in no file of the folder any more. A kill leaves the old key or the new one.
    ///
    /// - Parameters:
    ///   - key: a passphrase, from which a key is derived here (a fraction of a second), or a raw key.
    ///   - derivation: how slowly, of a passphrase.
    /// - Throws: `badParameter` (495) where the database is not encrypted, and for a derivation out of its bounds;
    ///   `inUse` (423) naming the processes that have it open, `conflict` (409) where another key was set meanwhile,
    ///   `readOnly` (403), `callback` (593) inside a transaction or snapshot, `full` (507), `notOpen` (503).
    /// - Complexity: O(1) in the size of the database.
    public func changeKey(to key: StorageKey, derivation: KeyDerivation = .standard) throws(StorageError) {
        try requireRekeyable()
        let before = folder?.manifest.members ?? ManifestMembers(storageType: storageType)
        let setup = setup
        guard let folder, let keys = setup.keys, let ring = setup.ring else {
            throw StorageError(.badParameter, "The database is not encrypted: it has no key to be changed.")
        }
        // Before any lock: it takes its time.
        let slot = try KeySlot(wrapping: keys.dataKey, with: key, cost: derivation.cost)
        try compactor.pausing(forRewrite: false) { () throws(StorageError) in
            try withoutWriters { () throws(StorageError) in
                try folder.requireAlone()
                try folder.lockWriter(timeout: busyTimeout)
                defer { folder.unlockWriter() }
                var members = folder.manifest.members
                // Another thread may have given it another key, or none, meanwhile.
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

    /// Encrypts everything anew: makes a new data key, which the new key opens, and writes data and attachments with
    /// it. Whoever has an old copy of the folder and its key can read nothing of what is written from now on.
    ///
    /// Others may write while attachments are written anew, and wait while the data is. After a kill the old key opens
    /// the database as it was, or the new key the new one. Snapshots that are open go on; the old files go with the
    /// last of them.
    ///
    /// - Parameters:
    ///   - key: a passphrase, from which a key is derived here (a fraction of a second), or a raw key.
    ///   - derivation: how slowly, of a passphrase.
    ///   - progress: told now and then, on the calling thread. It must not call the database.
    /// - Throws: `badParameter` (495) where the database is not encrypted, and for a derivation out of its bounds;
    ///   `inUse` (423) naming the processes that have it open, `conflict` (409) where the files were rewritten
    ///   meanwhile, `full` (507) where the disk has no room for a second copy, `readOnly` (403), `callback` (593)
    ///   inside a transaction or snapshot, `corrupt` (591) for damaged attachments, `notOpen` (503). The database is as
    ///   it was then.
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

    /// Looks whether this handle may have the database written anew.
    func requireConvertible(_ insideTransaction: String) throws(StorageError) {
        guard ThreadContext.current.activity(on: self) == nil else {
            throw StorageError(.callback, insideTransaction)
        }
        guard isOpen else { throw StorageError(.notOpen, "The database is closed.") }
        guard !isReadOnly else { throw .readOnly }
    }
}
