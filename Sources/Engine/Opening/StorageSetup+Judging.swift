internal import SetteeEncryption
package import StorageProtocol

extension StorageSetup {
    /// Checks that these stores can be as requested.
    ///
    /// - Throws: `invalidStorageType` (497) if another type was requested; as `StorageEngineFactory.requireSupport`.
    package func judge(_ wishes: DatabaseOptions, engines: [any StorageEngineFactory]) throws(StorageError) {
        if let wanted = wishes.storageType,
            StorageSetup.type(wanted, withKey: wishes.key != nil, engines) != factory.storageType
        {
            throw StorageError(
                .invalidStorageType,
                "The database is stored as '\(factory.storageType)', not '\(wanted)'. Open it without a storage type."
            )
        }
        try factory.requireSupport(
            key: wishes.key,
            compression: wishes.compression,
            durability: wishes.durability
        )
    }

    /// Checks that this open store is as requested. May derive a key, so it is called without locks.
    ///
    /// - Parameter present: Its compression.
    /// - Throws: As `judge`; `badParameter` (495) if its compression is different or it is not encrypted,
    ///   `unauthorized` (401) if the key is missing or wrong.
    func judge(
        _ wishes: DatabaseOptions,
        engines: [any StorageEngineFactory],
        present: Compression
    ) throws(StorageError) {
        if let ring {
            try ring.admit(wishes.key)
        } else if wishes.key != nil {
            throw StorageSetup.unneededKey(factory.storageType, engines)
        }
        try judge(wishes, engines: engines)
        try present.requireSame(as: wishes.compression)
    }

    /// Returns the requested type of the stores: with a key, that of the encrypted ones.
    package static func type(
        _ type: StorageType,
        withKey: Bool,
        _ engines: [any StorageEngineFactory]
    ) -> StorageType {
        guard withKey, let encrypted = engines.first(where: { $0.storageType == type })?.capabilities.encryptedType,
            engines.contains(where: { $0.storageType == encrypted })
        else { return type }
        return encrypted
    }

    /// Returns the error for a key given for a plain database of this type.
    static func unneededKey(_ type: StorageType, _ engines: [any StorageEngineFactory]) -> StorageError {
        guard self.type(type, withKey: true, engines) != type else {
            return StorageError(
                .notImplemented,
                "Databases of type '\(type)' cannot be encrypted. Open it without a key."
            )
        }
        return ManifestChoice.unneededKey
    }
}
