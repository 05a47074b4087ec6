package import StorageProtocol

/// What a database folder records about itself: which generation of its files is the current one, and which programs
/// may use them.
///
/// There are two copies in the folder (`manifest.json`, `manifest-copy.json`), with equal content except during a
/// switch. The text is one JSON object whose last member is `checksum`: the SHA-256, in hexadecimal, of every byte
/// before the comma that precedes it. So damage is detected without parsing JSON, and any version can tell damage from
/// a newer format. The manifest of an encrypted database has a member `mac` before it, made with the database's key
/// (docs/guide/encryption.md).
package struct Manifest: Sendable, Equatable {
    /// The newest version of the folder's layout that this program supports. It is compared with `minReader` and
    /// `minWriter`.
    package static let knownVersion: UInt64 = 2
    /// The version of a plain database.
    package static let plainVersion: UInt64 = 1
    /// The version of an encrypted database.
    package static let encryptedVersion: UInt64 = 2

    /// Grows by one with every change. Of two valid copies, the one with the higher serial wins.
    package var serial: UInt64
    /// The version of the layout.
    package var formatVersion = Manifest.plainVersion
    /// The lowest `Manifest.knownVersion` of a program that may read the database.
    package var minReader = Manifest.plainVersion
    /// The lowest `Manifest.knownVersion` of a program that may write to it.
    package var minWriter = Manifest.plainVersion
    package var storageType: StorageType
    /// The number of the current data folder.
    package var dataGeneration: UInt64
    /// The number of the current blob folder.
    package var blobGeneration: UInt64
    package var databaseUUID: String
    /// The key slots of an encrypted database, each a JSON text; empty for a plain one.
    package var keySlots: [[UInt8]] = []
    /// How an encrypted database is encrypted, a JSON text; nil for a plain one.
    package var encryption: [UInt8]?
    /// Members that this version does not know, kept unchanged when the manifest is written again.
    package var unknown: [Member] = []

    /// A member with the JSON texts of its name (quotes included) and value.
    package struct Member: Sendable, Equatable {
        package var name: [UInt8]
        package var value: [UInt8]

        package init(name: [UInt8], value: [UInt8]) {
            self.name = name
            self.value = value
        }
    }

    package init(
        serial: UInt64,
        storageType: StorageType,
        dataGeneration: UInt64,
        blobGeneration: UInt64,
        databaseUUID: String
    ) {
        self.serial = serial
        self.storageType = storageType
        self.dataGeneration = dataGeneration
        self.blobGeneration = blobGeneration
        self.databaseUUID = databaseUUID
    }

    /// Whether it describes an encrypted database.
    package var isEncrypted: Bool { encryption != nil || !keySlots.isEmpty }

    /// Returns the name of a generation's folder, for example `data-000001`: at least six digits.
    package static func generationName(_ kind: GenerationKind, _ number: UInt64) -> String {
        let digits = String(number)
        return kind.rawValue + "-" + String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
    }

    /// Returns the generation that a folder's name stands for; nil for any other name.
    package static func generation(named name: String) -> (kind: GenerationKind, number: UInt64)? {
        for kind in GenerationKind.allCases where name.hasPrefix(kind.rawValue + "-") {
            guard let number = UInt64(name.dropFirst(kind.rawValue.utf8.count + 1)),
                generationName(kind, number) == name
            else { return nil }
            return (kind, number)
        }
        return nil
    }

    var dataName: String { Manifest.generationName(.data, dataGeneration) }
    var blobName: String { Manifest.generationName(.blobs, blobGeneration) }
}

/// The kind of content in a generation's folder.
package enum GenerationKind: String, Sendable, CaseIterable {
    case data
    case blobs
}
