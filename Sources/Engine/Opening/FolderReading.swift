internal import SetteeEncryption
internal import SetteeStorageFiles
internal import StorageProtocol

/// What an opening determines from a folder's manifests, before anything in the folder is changed.
final class FolderReading {
    private let opener: DatabaseOpener
    private let options: DatabaseOptions
    /// The folder to open.
    private let identity: FileIdentity
    /// What the key opens.
    private let derivations: SlotDerivations?
    private var keys: GenerationKeys?
    private var ring: KeyRing?
    private var found: StorageSetup?
    /// Whether another folder was found at the path.
    private(set) var hasMoved = false
    /// Whether the folder has key slots that it did not have when keys were derived.
    private(set) var lacksKeys = false

    init(opener: DatabaseOpener, options: DatabaseOptions, identity: FileIdentity, derivations: SlotDerivations?) {
        self.opener = opener
        self.options = options
        self.identity = identity
        self.derivations = derivations
    }

    /// Derives what the key opens. Called without a lock, because it may take long.
    func deriveKeys(at path: String) throws(StorageError) {
        lacksKeys = false
        guard let derivations else { return }
        for copy in DatabaseFolder.manifests(at: path) where copy.manifest.isEncrypted {
            do throws(StorageError) {
                _ = try KeySlots(copy.manifest.keySlots).open(with: derivations)
            } catch {
                // Slots that cannot be used are reported when both copies have been read.
                guard error.code == .unsupportedFormat else { throw error }
            }
        }
    }

    /// Chooses the copy of the manifest to use.
    ///
    /// - Throws: `unauthorized` (401), `badParameter` (495) and `notImplemented` (501) if a key is given and there is
    ///   none, `corrupt`, `unsupportedFormat` (591).
    func choose(_ folder: DatabaseFolder.Reading) throws(StorageError) -> DatabaseFolder.Choice {
        guard folder.identity == identity else {
            hasMoved = true
            throw StorageError(.inUse, "The database was replaced while it was being opened. Open it again.")
        }
        let candidates = folder.copies.map { ManifestCandidate($0) }
        guard ManifestChoice.isDerived(candidates, with: derivations) else {
            lacksKeys = true
            throw StorageError(.inUse, "The database's key was changed while it was being opened. Open it again.")
        }
        try folder.requireKnownFormat()
        if derivations != nil, !candidates.contains(where: \.isEncrypted) {
            throw try unneededKey(for: try folder.usable(folder.copies)[0], in: folder)
        }
        let choice = try ManifestChoice(
            of: candidates,
            with: derivations,
            usable: { (indices) throws(StorageError) in
                let usable = try folder.usable(indices.map { folder.copies[$0] })
                return indices.filter { usable.contains(folder.copies[$0]) }
            },
            fits: { (index, dataKey) throws(StorageError) in
                try fits(folder.copies[index], dataKey, in: folder)
            }
        )
        let copy = folder.copies[choice.index]
        found = nil
        guard let dataKey = choice.dataKey, let derivations else {
            (keys, ring) = (nil, nil)
            return DatabaseFolder.Choice(copy)
        }
        let keys = try GenerationKeys(dataKey, EncryptionMember(copy.manifest.encryption))
        self.keys = keys
        ring = KeyRing(dataKey, slots: KeySlots(copy.manifest.keySlots), openedWith: derivations.key)
        return DatabaseFolder.Choice(
            copy,
            seal: try keys.seal(of: copy.manifest.databaseUUID),
            rejected: choice.rejected.map { folder.copies[$0] }
        )
    }

    /// Whether the data that an authentic copy names is encrypted with the page key that it describes.
    private func fits(
        _ copy: ManifestCopy,
        _ dataKey: DataKey,
        in folder: DatabaseFolder.Reading
    ) throws(StorageError) -> Bool {
        do throws(StorageError) {
            let keys = try GenerationKeys(dataKey, EncryptionMember(copy.manifest.encryption))
            let factory = try opener.factory(for: copy.manifest.storageType)
            try StorageSetup(factory, options, keys: keys).authorize(folder.dataDirectory(of: copy))
            return true
        } catch {
            switch error.code {
            case .corrupt, .unsupportedFormat, .invalidStorageType: return false
            default: throw error
            }
        }
    }

    /// Returns the error for a key where all copies of the manifest are plain. If the data is not, somebody has put
    /// them there, and it would be wrong to advise that the key be left out.
    private func unneededKey(
        for copy: ManifestCopy,
        in folder: DatabaseFolder.Reading
    ) throws(StorageError) -> StorageError {
        let type = copy.manifest.storageType
        guard let factory = try? opener.factory(for: type) else {
            return StorageSetup.unneededKey(type, opener.engines)
        }
        let directory = folder.dataDirectory(of: copy)
        var isPlain = !factory.capabilities.requiresKey
        if isPlain {
            do throws(StorageError) {
                try factory.authorize(directory: directory, options: StorageOptions(readOnly: true))
                // An engine that finds no file of its own has nothing to refuse before it opens it.
                try factory.open(directory: directory, options: StorageOptions(readOnly: true, immutable: true)).close()
            } catch {
                isPlain = error.code != .corrupt && error.code != .notFound
            }
        }
        guard isPlain else {
            return .corrupt(
                "The manifest says that the database is not encrypted, and its data file is not one of a plain database. "
                    + "Somebody has put another manifest there, or the data file is damaged. If the database is encrypted, "
                    + "restore manifest.json from a copy of it"
            )
        }
        return StorageSetup.unneededKey(type, opener.engines)
    }

    /// Checks the request, and lets the engine check its files.
    ///
    /// - Throws: `invalidStorageType` (497), `notImplemented` (501), `badParameter` (495), or `corrupt`,
    ///   `unsupportedFormat` (591).
    func authorize(_ type: StorageType, _ dataDirectory: String) throws(StorageError) -> StorageSharing {
        let setup = try setup(for: type)
        try setup.authorize(dataDirectory)
        return setup.capabilities.sharing
    }

    func pendingLog(_ directory: String) throws(StorageError) -> PendingLog {
        try found?.factory.pendingLog(directory: directory) ?? .none
    }

    /// Returns the checked setup of a database of this type.
    func setup(for type: StorageType) throws(StorageError) -> StorageSetup {
        if let found, found.factory.storageType == type { return found }
        let setup = StorageSetup(try opener.factory(for: type), options, keys: keys, ring: ring)
        try setup.judge(options, engines: opener.engines)
        try setup.requireCipher()
        found = setup
        return setup
    }
}

extension StorageSetup {
    /// Checks that the engine encrypts as the manifest says, or not at all if the manifest has no such member.
    fileprivate func requireCipher() throws(StorageError) {
        if let keys {
            guard keys.member.cipher != capabilities.cipher else { return }
            throw StorageError(
                .unsupportedFormat,
                "The database is encrypted in a way that this version does not know. Use a newer version of Settee."
            )
        }
        guard capabilities.requiresKey else { return }
        throw .corrupt("The manifest says that the database is encrypted, and has no key for it")
    }
}
