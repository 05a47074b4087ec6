internal import SetteeEncryption
internal import SetteeStorageFiles
internal import StorageProtocol

/// What a database is to become: how its next generation is made, and what its manifest says then.
struct ConversionTarget {
    /// What the database was when this was made.
    let source: StorageSetup
    let setup: StorageSetup
    /// Key slots, where there are others than before; none for a database that is decrypted.
    private let slots: [[UInt8]]?
    /// Whether contents of attachments have other keys than before, or none any more.
    let hasOtherContents: Bool

    /// With the keys that the database has, if it has any.
    ///
    /// - Parameter setup: the source's for another factory.
    init(keepingKeysOf source: StorageSetup, as setup: StorageSetup) throws(StorageError) {
        self.source = source
        if let keys = source.keys, let ring = source.ring {
            let next = try GenerationKeys(keys.dataKey, EncryptionMember(cipher: ConversionTarget.cipher(of: setup)))
            self.setup = setup.with(next, ring)
        } else {
            self.setup = setup
        }
        slots = nil
        hasOtherContents = false
    }

    /// With a new data key, which `key` opens. Takes as long as the derivation does: not to be called under a lock.
    init(withNew key: StorageKey, for source: StorageSetup, as setup: StorageSetup) throws(StorageError) {
        self.source = source
        let new = try NewKeys(for: key, cipher: ConversionTarget.cipher(of: setup))
        let ring = KeyRing(new.generation.dataKey, slots: KeySlots([new.slot.text]), openedWith: key)
        self.setup = setup.with(new.generation, ring)
        slots = [new.slot.text]
        hasOtherContents = true
    }

    /// Without keys.
    init(decrypting source: StorageSetup, as setup: StorageSetup) {
        self.source = source
        self.setup = setup.withoutKeys()
        slots = []
        hasOtherContents = source.isEncrypted
    }

    private static func cipher(of setup: StorageSetup) throws(StorageError) -> String {
        guard let cipher = setup.capabilities.cipher else {
            throw StorageError(
                .unexpected,
                "The engine of type '\(setup.factory.storageType)' does not say how it encrypts."
            )
        }
        return cipher
    }

    /// About how many bytes must be free on the disk meanwhile.
    ///
    /// - Parameters:
    ///   - figures: of the store as it is.
    ///   - compression: that of the store as it is.
    ///   - contents: bytes of attachments that are written anew.
    func bytesNeeded(_ figures: StorageStatistics, compression: Compression, contents: UInt64) -> UInt64 {
        // Bodies that are not compressed any more are a few times as long.
        let factor: UInt64 = compression == .uncompressed || setup.compression == compression ? 1 : 4
        let (data, overflow) = figures.bytesOnDisk.multipliedReportingOverflow(by: factor)
        let (sum, sumOverflow) = data.addingReportingOverflow(contents)
        return overflow || sumOverflow ? .max : sum
    }

    /// What the manifest of the next generation says.
    func members(after present: ManifestMembers) throws(StorageError) -> ManifestMembers {
        var members = present
        members.storageType = setup.factory.storageType
        if let keys = setup.keys { try members.encrypt(with: keys, slots: slots) } else { members.decrypt() }
        return members
    }
}

extension ManifestMembers {
    /// Has the manifest say that the generation is not encrypted.
    fileprivate mutating func decrypt() {
        encryption = nil
        keySlots = []
        // What this version does not know may need the versions for reasons of its own.
        guard unknown.isEmpty else { return }
        if formatVersion == Manifest.encryptedVersion { formatVersion = Manifest.plainVersion }
        if minReader == Manifest.encryptedVersion { minReader = Manifest.plainVersion }
        if minWriter == Manifest.encryptedVersion { minWriter = Manifest.plainVersion }
    }
}
