internal import SetteeStorageFiles
internal import StorageProtocol

/// The UUIDs of a database, kept as info values.
enum DatabaseIdentity {
    /// Gives a database that has none its UUIDs.
    static func make(in transaction: any WriteTransaction) throws(StorageError) {
        for key in [InfoKey.publicUUID, InfoKey.privateUUID] where try transaction.info(key) == nil {
            try transaction.setInfo(Array(Host.uuid().utf8), for: key)
        }
    }

    /// Gives a copy of a database UUIDs of its own, and has it remember the private one it was copied from.
    static func renew(in transaction: any WriteTransaction) throws(StorageError) {
        try transaction.setInfo(transaction.info(InfoKey.privateUUID), for: InfoKey.previousPrivateUUID)
        for key in [InfoKey.publicUUID, InfoKey.privateUUID] {
            try transaction.setInfo(Array(Host.uuid().utf8), for: key)
        }
    }
}
