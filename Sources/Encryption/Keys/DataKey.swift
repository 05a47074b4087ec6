internal import Crypto
package import StorageProtocol

/// The key with which a database is encrypted, through its subkeys. The purpose of each is described in
/// docs/guide/encryption.md.
package struct DataKey: Sendable, Equatable, CustomStringConvertible {
    let key: StorageKey

    /// Creates a new key with the system's random generator.
    ///
    /// - Throws: `storage` (590) if there is no memory for it.
    package init() throws(StorageError) {
        key = try .raw(SymmetricKey(size: .bits256))
    }

    /// Creates a data key from a stored one.
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

    /// Returns the key for the pages of one generation's data file.
    ///
    /// - Parameter salt: The generation's salt, from the manifest.
    package func pageKey(salt: [UInt8]) throws(StorageError) -> StorageKey { try key.subkey(for: .pages, salt: salt) }

    /// Returns the key for the manifest's MAC.
    package func manifestKey(databaseUUID: String) throws(StorageError) -> StorageKey {
        try key.subkey(for: .manifest, salt: Array(databaseUUID.utf8))
    }

    /// The key from which those of attachments' files are derived.
    package var blobKey: StorageKey {
        get throws(StorageError) { try key.subkey(for: .blobs) }
    }

    /// The key for the names of attachments' files.
    package var nameKey: StorageKey {
        get throws(StorageError) { try key.subkey(for: .names) }
    }

    package var description: String { "a data key" }
}
