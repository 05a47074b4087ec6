package import SetteeEncryption
package import SetteeStorageFiles
package import StorageProtocol

/// A new data key in a slot of its own.
package struct NewKeys {
    package let generation: GenerationKeys
    package let slot: KeySlot

    /// Takes as long as the slot's cost says.
    ///
    /// - Parameter cipher: The engine's name for its cipher.
    /// - Throws: `badParameter` (495) if the derivation is out of bounds, or as `requireSettable`; `storage` (590) if
    ///   there is not enough memory.
    package init(for key: StorageKey, _ derivation: KeyDerivation, cipher: String) throws(StorageError) {
        try key.requireSettable()
        let dataKey = try DataKey()
        slot = try KeySlot(wrapping: dataKey, with: key, cost: derivation.cost)
        generation = try GenerationKeys(dataKey, EncryptionMember(cipher: cipher))
    }
}

extension ManifestMembers {
    /// Marks the generation as encrypted with these keys.
    ///
    /// - Parameter slots: Nil: the existing slots are kept.
    package mutating func encrypt(with keys: GenerationKeys, slots: [[UInt8]]? = nil) throws(StorageError) {
        encryption = try keys.member.text
        if let slots { keySlots = slots }
        formatVersion = max(formatVersion, Manifest.encryptedVersion)
        minReader = max(minReader, Manifest.encryptedVersion)
        minWriter = max(minWriter, Manifest.encryptedVersion)
    }
}
