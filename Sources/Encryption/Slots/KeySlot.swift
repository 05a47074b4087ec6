package import StorageProtocol

/// An entry in the manifest that holds the data key, sealed for one user's key. Its text is described in
/// docs/guide/encryption.md.
package struct KeySlot: Sendable, Equatable {
    /// How the sealing key is derived from the user's.
    package enum Derivation: Sendable, Equatable {
        case raw
        case passphrase(KeyCost)
    }

    package let derivation: Derivation
    /// The text in the manifest.
    package let text: [UInt8]
    let salt: [UInt8]
    /// Nonce, sealed key and tag.
    let wrapped: [UInt8]
    /// How many bytes at the beginning of the text are authenticated with the key.
    let boundCount: Int

    static let saltLength = 16
    static let wrappedLength = 12 + StorageKey.rawLength + 16

    /// The kind of key that can open it.
    package var kind: StorageKey.Kind { derivation == .raw ? .raw : .passphrase }
}
