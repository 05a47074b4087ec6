internal import SetteeEncryption
internal import SetteeStorageFiles
internal import StorageProtocol

/// What a database is to become: how its next generation is made, and what its manifest says then.
struct ConversionTarget {
    /// What the database was when this was made.
    let source: StorageSetup
    private(set) var setup: StorageSetup
    /// Key slots, where there are others than before; none for a database that is decrypted.
    private let slots: [[UInt8]]?
    /// Whether contents of attachments have other keys than before, or none any more.
    let hasOtherContents: Bool
    /// What a killed conversion has left that was to become the same, with the keys of this one; nil: nothing.
    private(set) var earlier: ConversionFile?

    /// With the keys that the database has, if it has any.
    ///
    /// - Parameters:
    ///   - setup: the source's for another factory.
    ///   - left: what a killed conversion has left, whatever that was to become.
    init(
        keepingKeysOf source: StorageSetup,
        as setup: StorageSetup,
        after left: EarlierConversion? = nil
    ) throws(StorageError) {
        self.source = source
        slots = nil
        hasOtherContents = false
        earlier = left?.file(for: setup, hasContents: false)
        guard let keys = source.keys, let ring = source.ring else {
            self.setup = setup
            if earlier?.note.encryption != nil { earlier = nil }
            return
        }
        let cipher = try ConversionTarget.cipher(of: setup)
        if let known = earlier.flatMap({ left?.keys(of: $0, keys.dataKey, cipher: cipher) }) {
            self.setup = setup.with(known, ring)
        } else {
            earlier = nil
            self.setup = setup.with(try GenerationKeys(keys.dataKey, EncryptionMember(cipher: cipher)), ring)
        }
    }

    /// With a new data key, which `key` opens. Takes as long as the derivation does: not to be called under a lock.
    init(
        withNew key: StorageKey,
        _ derivation: KeyDerivation,
        for source: StorageSetup,
        as setup: StorageSetup,
        after left: EarlierConversion? = nil
    ) throws(StorageError) {
        self.source = source
        let cipher = try ConversionTarget.cipher(of: setup)
        if let file = left?.file(for: setup, hasContents: true), let found = left?.keys(of: file, key, cipher: cipher) {
            earlier = file
            self.setup = setup.with(found.keys, KeyRing(found.keys.dataKey, slots: found.slots, openedWith: key))
            slots = found.slots.texts
            hasOtherContents = true
            return
        }
        earlier = nil
        let new = try NewKeys(for: key, derivation, cipher: cipher)
        let ring = KeyRing(new.generation.dataKey, slots: KeySlots([new.slot.text]), openedWith: key)
        self.setup = setup.with(new.generation, ring)
        slots = [new.slot.text]
        hasOtherContents = true
    }

    /// Without keys.
    init(decrypting source: StorageSetup, as setup: StorageSetup, after left: EarlierConversion? = nil) {
        self.source = source
        self.setup = setup.withoutKeys()
        slots = []
        hasOtherContents = source.isEncrypted
        earlier = left?.file(for: self.setup, hasContents: hasOtherContents)
        if earlier?.note.encryption != nil { earlier = nil }
    }

    /// Has nothing to go on with any more. What is made anew gets a page key of its own.
    mutating func beginAnew() throws(StorageError) {
        setup = try setup.next()
        earlier = nil
    }

    /// What a later conversion has to know to go on with this one.
    func note(of changeCounter: UInt64) throws(StorageError) -> ConversionNote {
        ConversionNote(
            changeCounter: changeCounter,
            storageType: setup.factory.storageType,
            compression: setup.compression?.rawValue,
            keySlots: setup.isEncrypted ? slots ?? [] : [],
            encryption: try setup.keys?.member.text
        )
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
    ///   - contents: attachments that are written anew.
    func bytesNeeded(
        _ figures: StorageStatistics,
        compression: Compression,
        contents: (bytes: UInt64, count: UInt64)
    ) -> UInt64 {
        // Bodies that are not compressed any more are a few times as long. What is not rewritten in steps has a log as
        // long as the file.
        let isAsLong = compression == .uncompressed || setup.compression == compression
        let factor: UInt64 = isAsLong ? setup.capabilities.compaction == .inSteps ? 1 : 2 : 4
        let (data, overflow) = figures.bytesOnDisk.multipliedReportingOverflow(by: factor)
        let (sum, sumOverflow) = data.addingReportingOverflow(contents.bytes)
        // A file takes whole blocks.
        let (blocks, blocksOverflow) = contents.count.multipliedReportingOverflow(by: 4_096)
        let (total, totalOverflow) = sum.addingReportingOverflow(blocks)
        return overflow || sumOverflow || blocksOverflow || totalOverflow ? .max : total
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
