internal import Crypto
internal import CryptoExtras

/// scrypt, with the parameters that were checked.
enum Scrypt {
    static let hashSize = 32

    /// Blocks the thread for some tenths of a second. Nil if the library refuses, for want of memory.
    ///
    /// - Parameters: Neither may be empty.
    static func hash(_ password: String, salt: [UInt8], _ parameters: ScryptParameters) -> SymmetricKey? {
        precondition(!password.isEmpty && !salt.isEmpty, "scrypt needs a password and a salt.")
        return try? KDF.Scrypt.deriveKey(
            from: Array(password.utf8),
            salt: salt,
            outputByteCount: hashSize,
            rounds: parameters.rounds,
            blockSize: parameters.blockSize,
            parallelism: parameters.parallelism
        )
    }
}
