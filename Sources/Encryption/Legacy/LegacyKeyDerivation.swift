internal import CryptoExtras
package import StorageProtocol

/// How Couchbase Lite 1.x derived a key from a password, to read files that it encrypted. New files never get such
/// keys, because all passwords have the same salt.
package enum LegacyKeyDerivation: Sendable, CaseIterable {
    /// PBKDF2-HMAC-SHA256: iOS, macOS, Java, Android.
    case sha256
    /// PBKDF2-HMAC-SHA1: .NET.
    case sha1

    private static let salt = Array("Salty McNaCl".utf8)
    private static let rounds = 64_000

    /// Returns the key of the file. A raw key is returned unchanged.
    ///
    /// - Throws: `storage` (590) if there is no memory.
    package func key(from key: StorageKey) throws(StorageError) -> StorageKey {
        guard key.kind == .passphrase else { return key }
        return try .raw(
            PassphraseDerivation.pbkdf2(
                from: key,
                salt: LegacyKeyDerivation.salt,
                hash: self == .sha256 ? .sha256 : .insecureSHA1,
                rounds: LegacyKeyDerivation.rounds
            )
        )
    }
}
