internal import SetteeEncryption
internal import SetteeStorageFiles
internal import StorageProtocol

/// The target of a conversion: how the next generation is created, and the content of its manifest.
struct ConversionTarget {
    /// The setup of the database when the target was created.
    let source: StorageSetup
    private(set) var setup: StorageSetup
    /// The key slots if they change; none if the database is decrypted.
    private let slots: [[UInt8]]?
    /// Whether contents of attachments get other keys, or lose their keys.
    let hasOtherContents: Bool
    /// What is left of a killed conversion with the same target, with the keys of this one; nil if nothing is.
    private(set) var earlier: ConversionFile?

    /// Keeps the database's keys, if it has any.
    ///
    /// - Parameters:
    ///   - setup: The setup of the source for another factory.
    ///   - left: What is left of a killed conversion, whatever its target.
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

    /// Uses a new data key, which `key` opens. Takes as long as the derivation does, so it must not be called under a
    /// lock.
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

    /// Removes the keys. What a killed decryption has left is plain text, so it is never kept to be resumed.
    init(decrypting source: StorageSetup, as setup: StorageSetup, after left: EarlierConversion? = nil) {
        self.source = source
        self.setup = setup.withoutKeys()
        slots = []
        hasOtherContents = source.isEncrypted
        earlier = source.isEncrypted ? nil : left?.file(for: self.setup, hasContents: false)
        if earlier?.note.encryption != nil { earlier = nil }
    }

    /// Whether plain text is written beside an encrypted database.
    var decrypts: Bool { source.isEncrypted && !setup.isEncrypted }

    /// Discards what is left of an earlier conversion. The new generation gets a page key of its own.
    mutating func beginAnew() throws(StorageError) {
        setup = try setup.next()
        earlier = nil
    }

    /// Returns what a later conversion needs to continue this one.
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

    /// Returns an estimate of the bytes that must be free on the disk during the conversion.
    ///
    /// - Parameters:
    ///   - figures: The figures of the store as it is.
    ///   - compression: The compression of the store as it is.
    ///   - contents: The attachments that are rewritten.
    func bytesNeeded(
        _ figures: StorageStatistics,
        compression: Compression,
        contents: (bytes: UInt64, count: UInt64)
    ) -> UInt64 {
        // Bodies that are no longer compressed are a few times as long. A store that is not rewritten in steps has a
        // log as long as the file.
        let isAsLong = compression == .uncompressed || setup.compression == compression
        let factor: UInt64 = isAsLong ? setup.capabilities.compaction == .inSteps ? 1 : 2 : 4
        let (data, overflow) = figures.bytesOnDisk.multipliedReportingOverflow(by: factor)
        let (sum, sumOverflow) = data.addingReportingOverflow(contents.bytes)
        // A file occupies whole blocks.
        let (blocks, blocksOverflow) = contents.count.multipliedReportingOverflow(by: 4_096)
        let (total, totalOverflow) = sum.addingReportingOverflow(blocks)
        return overflow || sumOverflow || blocksOverflow || totalOverflow ? .max : total
    }

    /// Returns the members of the next generation's manifest.
    func members(after present: ManifestMembers) throws(StorageError) -> ManifestMembers {
        var members = present
        members.storageType = setup.factory.storageType
        if let keys = setup.keys { try members.encrypt(with: keys, slots: slots) } else { members.decrypt() }
        return members
    }
}

extension ManifestMembers {
    /// Marks the generation as not encrypted.
    fileprivate mutating func decrypt() {
        encryption = nil
        keySlots = []
        // Members unknown to this version may need the versions for their own reasons.
        guard unknown.isEmpty else { return }
        if formatVersion == Manifest.encryptedVersion { formatVersion = Manifest.plainVersion }
        if minReader == Manifest.encryptedVersion { minReader = Manifest.plainVersion }
        if minWriter == Manifest.encryptedVersion { minWriter = Manifest.plainVersion }
    }
}
