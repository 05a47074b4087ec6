internal import SetteeEncryption
internal import SetteeStorageFiles
internal import StorageProtocol

/// The keys of one generation of an encrypted database.
struct GenerationKeys: Sendable {
    let dataKey: DataKey
    /// What its manifest says of them.
    let member: EncryptionMember
    /// What the engine is given.
    let pageKey: StorageKey
    /// What the keys make of attachments' contents.
    let codec: EncryptedBlobCodec

    init(_ dataKey: DataKey, _ member: EncryptionMember) throws(StorageError) {
        self.dataKey = dataKey
        self.member = member
        pageKey = try dataKey.pageKey(salt: member.salt)
        codec = try EncryptedBlobCodec(dataKey: dataKey)
    }

    /// Those of a next generation or of a copy: with the same data key, and a page key of its own.
    func next() throws(StorageError) -> GenerationKeys {
        try GenerationKeys(dataKey, EncryptionMember(cipher: member.cipher))
    }

    /// What makes the MACs of manifests of a database.
    func seal(of databaseUUID: String) throws(StorageError) -> ManifestSeal {
        ManifestSeal(try dataKey.manifestKey(databaseUUID: databaseUUID))
    }
}
