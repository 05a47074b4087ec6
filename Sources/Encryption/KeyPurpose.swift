internal import Crypto
package import StorageProtocol

/// The purpose of a subkey. docs/guide/encryption.md lists them.
package enum KeyPurpose: String, Sendable, CaseIterable {
    /// Pages of the data file.
    case pages = "settee 1 pages"
    /// The manifest's MAC.
    case manifest = "settee 1 manifest"
    /// Contents of attachments.
    case blobs = "settee 1 blobs"
    /// Names of attachments' files.
    case names = "settee 1 names"
    /// The key that wraps the data key in a slot for a raw key.
    case slot = "settee 1 slot"
    /// The content of an attachment in one file.
    case file = "settee 1 file"
}

extension StorageKey {
    /// Returns the subkey of this raw key for one purpose: HKDF-SHA256 (RFC 5869) with the purpose as `info`.
    package func subkey(for purpose: KeyPurpose, salt: [UInt8] = []) throws(StorageError) -> StorageKey {
        try .raw(
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: symmetric,
                salt: salt,
                info: Array(purpose.rawValue.utf8),
                outputByteCount: StorageKey.rawLength
            )
        )
    }
}
