package import StorageProtocol

/// What a manifest contains about the database as such, whichever generation is the current one. A switch replaces all
/// of it, and a copy takes it from its source.
package struct ManifestMembers: Sendable, Equatable {
    package var storageType: StorageType
    package var databaseUUID: String
    /// The key slots of an encrypted database, each a JSON text; empty for a plain one.
    package var keySlots: [[UInt8]] = []
    /// How an encrypted database is encrypted, a JSON text; nil for a plain one.
    package var encryption: [UInt8]?
    /// Members that this version does not know.
    package var unknown: [Manifest.Member] = []
    /// The versions of the program that wrote the others, and of the programs that may read and write them.
    package var formatVersion = Manifest.plainVersion
    package var minReader = Manifest.plainVersion
    package var minWriter = Manifest.plainVersion

    /// The members of a new database.
    package init(storageType: StorageType, databaseUUID: String = Host.uuid()) {
        self.storageType = storageType
        self.databaseUUID = databaseUUID
    }
}

extension Manifest {
    package var members: ManifestMembers {
        get {
            var members = ManifestMembers(storageType: storageType, databaseUUID: databaseUUID)
            members.keySlots = keySlots
            members.encryption = encryption
            members.unknown = unknown
            members.formatVersion = formatVersion
            members.minReader = minReader
            members.minWriter = minWriter
            return members
        }
        set {
            storageType = newValue.storageType
            databaseUUID = newValue.databaseUUID
            keySlots = newValue.keySlots
            encryption = newValue.encryption
            unknown = newValue.unknown
            formatVersion = newValue.formatVersion
            minReader = newValue.minReader
            minWriter = newValue.minWriter
        }
    }
}
