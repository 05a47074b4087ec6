internal import SetteeEncryption
internal import SetteeStorageFiles
internal import StorageProtocol

/// What a killed conversion has left, with what it takes to tell whose it is.
struct EarlierConversion {
    private let found: ConversionFile
    private let databaseUUID: String

    /// Nil where nothing was left, or nothing that could be gone on with.
    init?(of database: Database) {
        guard let folder = database.folder, let found = folder.earlierConversion else { return nil }
        self.found = found
        databaseUUID = folder.databaseUUID
    }

    /// It, where it was to become a generation like this, whatever its keys are.
    func file(for setup: StorageSetup, hasContents: Bool) -> ConversionFile? {
        let note = found.note
        guard note.storageType == setup.factory.storageType, note.compression == setup.compression?.rawValue,
            found.hasContents == hasContents
        else { return nil }
        return found
    }

    /// The keys that it had, where its data key was this one and it has written the file itself.
    func keys(of file: ConversionFile, _ dataKey: DataKey, cipher: String) -> GenerationKeys? {
        guard file.note.keySlots.isEmpty else { return nil }
        return sealed(file, dataKey, cipher)
    }

    /// The same for a data key of its own, which `key` opens. Takes as long as the derivation does.
    func keys(
        of file: ConversionFile,
        _ key: StorageKey,
        cipher: String
    ) -> (keys: GenerationKeys, slots: KeySlots)? {
        let slots = KeySlots(file.note.keySlots)
        guard slots.texts.count == 1, let dataKey = try? slots.open(with: SlotDerivations(key: key)),
            let keys = sealed(file, dataKey, cipher)
        else { return nil }
        return (keys, slots)
    }

    private func sealed(_ file: ConversionFile, _ dataKey: DataKey, _ cipher: String) -> GenerationKeys? {
        guard let code = file.code, let member = try? EncryptionMember(file.note.encryption), member.cipher == cipher,
            let keys = try? GenerationKeys(dataKey, member),
            (try? keys.seal(of: databaseUUID))?.matches(Array(code), text: file.sealedText) == true
        else { return nil }
        return keys
    }
}

extension StorageError {
    /// Whether it may be due to what a killed conversion has left, so that beginning anew could go well.
    var isOfWhatIsThere: Bool {
        switch code {
        case .cancelled, .full, .inUse, .busy, .notOpen, .callback, .readOnly: false
        default: true
        }
    }
}
