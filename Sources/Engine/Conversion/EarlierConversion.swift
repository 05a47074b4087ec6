internal import SetteeEncryption
internal import SetteeStorageFiles
internal import StorageProtocol

/// What is left of a killed conversion, and how to determine its target.
struct EarlierConversion {
    private let found: ConversionFile
    private let databaseUUID: String

    /// Nil if nothing is left, or nothing that can be continued.
    init?(of database: Database) {
        guard let folder = database.folder, let found = folder.earlierConversion else { return nil }
        self.found = found
        databaseUUID = folder.databaseUUID
    }

    /// Returns the file of the conversion if its target was a generation like this, whatever its keys.
    func file(for setup: StorageSetup, hasContents: Bool) -> ConversionFile? {
        let note = found.note
        guard note.storageType == setup.factory.storageType, note.compression == setup.compression?.rawValue,
            found.hasContents == hasContents
        else { return nil }
        return found
    }

    /// Returns its keys, if its data key is this one and the file was written with it.
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
    /// Whether what is left of the killed conversion may have caused the error, so that starting over may succeed.
    var isOfWhatIsThere: Bool {
        switch code {
        case .cancelled, .full, .inUse, .busy, .notOpen, .callback, .readOnly: false
        default: true
        }
    }
}
