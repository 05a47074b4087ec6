internal import Crypto
internal import Foundation
package import StorageProtocol

extension KeySlot {
    /// Seals a data key for a user's key, with a new salt and a new nonce.
    ///
    /// The time it takes depends on the cost.
    /// - Parameter cost: Only used for passphrases; a raw key is not derived slowly.
    /// - Throws: `badParameter` (495) for a cost beyond its bounds, `storage` (590) if there is no memory.
    package init(wrapping dataKey: DataKey, with key: StorageKey, cost: KeyCost = .standard) throws(StorageError) {
        try cost.requireAllowed()
        let derivation: Derivation = key.kind == .raw ? .raw : .passphrase(cost)
        var random = SystemRandomNumberGenerator()
        let salt = (0..<KeySlot.saltLength).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let bound = KeySlot.boundText(derivation, salt: salt)
        let wrapping = try KeySlot.wrappingKey(derivation, from: key, salt: salt)
        do {
            let sealed = try dataKey.key.withBytes { bytes in
                try unsafe bytes.withUnsafeBytes {
                    try unsafe AES.GCM.seal($0, using: wrapping, nonce: AES.GCM.Nonce(), authenticating: bound)
                }
            }
            let wrapped = Array(sealed.nonce) + sealed.ciphertext + sealed.tag
            self.init(derivation, salt: salt, bound: bound, wrapped: wrapped)
        } catch {
            throw KeySlot.failure(error)
        }
    }

    /// Returns the data key, or nil if this is not the slot's key. The time it takes depends on the slot's cost.
    ///
    /// - Throws: `storage` (590) if there is no memory. A key is never reported as wrong for that reason.
    package func open(with key: StorageKey) throws(StorageError) -> DataKey? {
        guard key.kind == kind else { return nil }
        let wrapping = try KeySlot.wrappingKey(derivation, from: key, salt: salt)
        let box: AES.GCM.SealedBox
        do {
            box = try AES.GCM.SealedBox(combined: wrapped)
        } catch {
            throw KeySlot.failure(error)
        }
        // All lengths are right and nothing that may fail is allocated, so an error is a tag that does not match. The
        // kind of error differs by platform; with BoringSSL it is not CryptoKitError.authenticationFailure.
        guard var opened = try? AES.GCM.open(box, using: wrapping, authenticating: text[..<boundCount]) else {
            return nil
        }
        defer { unsafe opened.withUnsafeMutableBytes { unsafe SecretBytes.wipe($0) } }
        let found = unsafe opened.withUnsafeBytes { bytes in
            Result { () throws(StorageError) in try unsafe DataKey(StorageKey(bytes: bytes.bytes)) }
        }
        return try found.get()
    }

    private static func wrappingKey(
        _ derivation: Derivation,
        from key: StorageKey,
        salt: [UInt8]
    ) throws(StorageError) -> SymmetricKey {
        switch derivation {
        case .raw: try key.subkey(for: .slot, salt: salt).symmetric
        case .passphrase(let cost): try PassphraseDerivation.key(from: key, salt: salt, cost: cost)
        }
    }

    private static func failure(_ error: any Error) -> StorageError {
        StorageError(
            .storage,
            "The cipher failed on a key slot; nothing says that the key is wrong. Try again with more memory.",
            cause: error
        )
    }
}
