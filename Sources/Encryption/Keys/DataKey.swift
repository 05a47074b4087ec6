internal import Crypto
package import StorageProtocol

/// The key that a database is encrypted with, through its subkeys. docs/guide/encryption.md has what each is for.
package struct DataKey: Sendable, Equatable, CustomStringConvertible {
    let key: StorageKey

    /// A new one, by the system's random generator.
    ///
    /// - Throws: `storage` (590) where there is no memory for it.
    package init() throws(StorageError) {
        key = try .raw(SymmetricKey(size: .bits256))
    }

    /// One that was kept.
    ///
    /// - Throws: `badParameter` (495) for a passphrase.
    package init(_ key: StorageKey) throws(StorageError) {
        guard key.kind == .raw else {
            throw StorageError(
                .badParameter,
                "A data key has \(StorageKey.rawLength) bytes; a passphrase opens a slot."
            )
        }
        self.key = key
    }

    /// The key of the pages of one generation's data file.
    ///
    /// - Parameter salt: the generation's, of the manifest.
    package func pageKey(salt: [UInt8]) throws(StorageError) -> StorageKey { try key.subkey(for: .pages, salt: salt) }

    /// The key of the manifest's MAC.
    package func manifestKey(databaseUUID: String) throws(StorageError) -> StorageKey {
        try key.subkey(for: .manifest, salt: Array(databaseUUID.utf8))
    }

    /// The key that those of attachments' files come from.
    package var blobKey: StorageKey {
        get throws(StorageError) { try key.subkey(for: .blobs) }
    }

    /// The key of the names of attachments' files.
    package var nameKey: StorageKey {
        get throws(StorageError) { try key.subkey(for: .names) }
    }

    package var description: String { "a data key" }
}
