package import SetteeEncryption
internal import SetteeStorageFiles
package import StorageProtocol

/// The keys of one generation of an encrypted database.
package struct GenerationKeys: Sendable {
    let dataKey: DataKey
    /// The member that describes them in the manifest.
    let member: EncryptionMember
    /// The key that the engine receives.
    let pageKey: StorageKey
    /// Encrypts and decrypts the contents of attachments.
    let codec: EncryptedBlobCodec

    init(_ dataKey: DataKey, _ member: EncryptionMember) throws(StorageError) {
        self.dataKey = dataKey
        self.member = member
        pageKey = try dataKey.pageKey(salt: member.salt)
        codec = try EncryptedBlobCodec(dataKey: dataKey)
    }

    /// Returns the keys of a next generation or of a copy: with the same data key, and a page key of its own.
    func next() throws(StorageError) -> GenerationKeys {
        try GenerationKeys(dataKey, EncryptionMember(cipher: member.cipher))
    }

    /// Returns the seal that computes the MACs of a database's manifests.
    package func seal(of databaseUUID: String) throws(StorageError) -> ManifestSeal {
        ManifestSeal(try dataKey.manifestKey(databaseUUID: databaseUUID))
    }
}
