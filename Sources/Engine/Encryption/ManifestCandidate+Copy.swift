internal import SetteeEncryption
internal import SetteeStorageFiles

extension ManifestCandidate {
    init(_ copy: ManifestCopy) {
        self.init(
            serial: copy.manifest.serial,
            isEncrypted: copy.manifest.isEncrypted,
            keySlots: KeySlots(copy.manifest.keySlots),
            databaseUUID: copy.manifest.databaseUUID,
            sealedText: copy.sealedText,
            code: copy.code.map(Array.init)
        )
    }
}
