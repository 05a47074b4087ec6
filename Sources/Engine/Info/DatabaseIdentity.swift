internal import SetteeStorageFiles
package import StorageProtocol

/// The UUIDs of a database, kept as info values.
package enum DatabaseIdentity {
    /// Generates the UUIDs of a database that has none.
    package static func make(in transaction: any WriteTransaction) throws(StorageError) {
        for key in [InfoKey.publicUUID, InfoKey.privateUUID] where try transaction.info(key) == nil {
            try transaction.setInfo(Array(Host.uuid().utf8), for: key)
        }
    }

    /// Generates new UUIDs for a copy of a database, and stores the private UUID of the original.
    package static func renew(in transaction: any WriteTransaction) throws(StorageError) {
        try transaction.setInfo(transaction.info(InfoKey.privateUUID), for: InfoKey.previousPrivateUUID)
        for key in [InfoKey.publicUUID, InfoKey.privateUUID] {
            try transaction.setInfo(Array(Host.uuid().utf8), for: key)
        }
    }
}
