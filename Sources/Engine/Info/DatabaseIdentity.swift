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

    /// So many originals are remembered before the direct one.
    private static let mostEarlier = 15
    private static let separator = UInt8(ascii: "\n")

    /// Generates new UUIDs for a copy of a database, and stores the private UUIDs of the original and its originals.
    package static func renew(in transaction: any WriteTransaction) throws(StorageError) {
        if let previous = try transaction.info(InfoKey.previousPrivateUUID) {
            var earlier = [previous]
            let older = try transaction.info(InfoKey.earlierPrivateUUIDs) ?? []
            earlier += older.split(separator: separator).prefix(mostEarlier - 1).map { Array($0) }
            try transaction.setInfo(Array(earlier.joined(separator: [separator])), for: InfoKey.earlierPrivateUUIDs)
        }
        try transaction.setInfo(transaction.info(InfoKey.privateUUID), for: InfoKey.previousPrivateUUID)
        for key in [InfoKey.publicUUID, InfoKey.privateUUID] {
            try transaction.setInfo(Array(Host.uuid().utf8), for: key)
        }
    }

    /// The private UUIDs of the database that this one was copied from, and of those before it, newest first.
    static func originals(in transaction: any ReadTransaction) throws(StorageError) -> [String] {
        guard let previous = try transaction.info(InfoKey.previousPrivateUUID) else { return [] }
        let earlier = try transaction.info(InfoKey.earlierPrivateUUIDs) ?? []
        return [String(decoding: previous, as: UTF8.self)]
            + earlier.split(separator: separator).prefix(mostEarlier).map { String(decoding: $0, as: UTF8.self) }
    }
}
