internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import StorageProtocol

/// Derives keys from passphrases with the functions of swift-crypto.
///
/// The result has been in a `Data` of theirs that is not overwritten.
enum PassphraseDerivation {
    /// Returns 32 bytes for a passphrase. The time it takes depends on the cost: do not call this under a lock that
    /// others wait for.
    ///
    /// - Parameters:
    ///   - cost: A cost that the caller has checked.
    /// - Throws: `storage` (590) if there is no memory.
    static func key(from passphrase: StorageKey, salt: [UInt8], cost: KeyCost) throws(StorageError) -> SymmetricKey {
        switch cost {
        case .scrypt(let n, let r, let p):
            // swift-crypto does not use its parameter maxMemory. Its limit, 128·n·r·p and a page, leaves room for the
            // two blocks that scrypt needs in addition to n as long as r is at most 16.
            return try unsafe derive(from: passphrase, memory: 128 * (n + p + 1) * r) { bytes in
                try unsafe KDF.Scrypt.deriveKey(
                    from: bytes,
                    salt: salt,
                    outputByteCount: StorageKey.rawLength,
                    rounds: n,
                    blockSize: r,
                    parallelism: p
                )
            }
        case .pbkdf2(let rounds):
            return try pbkdf2(from: passphrase, salt: salt, hash: .sha512, rounds: rounds)
        }
    }

    /// Derives a key by PBKDF2 with a hash function of the caller's choice.
    static func pbkdf2(
        from passphrase: StorageKey,
        salt: [UInt8],
        hash: KDF.Insecure.PBKDF2.HashFunction,
        rounds: Int
    ) throws(StorageError) -> SymmetricKey {
        try unsafe derive(from: passphrase, memory: 0) { bytes in
            try unsafe KDF.Insecure.PBKDF2.deriveKey(
                from: bytes,
                salt: salt,
                using: hash,
                outputByteCount: StorageKey.rawLength,
                unsafeUncheckedRounds: rounds
            )
        }
    }

    private static func derive(
        from passphrase: StorageKey,
        memory: Int,
        _ function: (UnsafeRawBufferPointer) throws -> SymmetricKey
    ) throws(StorageError) -> SymmetricKey {
        do {
            // Lent as one region, so that no copy of the passphrase is made.
            return try passphrase.withBytes { try unsafe $0.withUnsafeBytes { try unsafe function($0) } }
        } catch {
            throw StorageError(
                .storage,
                "The key could not be derived from the passphrase; nothing says that it is wrong. It takes "
                    + "\(memory >> 20) MiB of "
                    + "memory. Try again with more.",
                cause: error
            )
        }
    }
}
