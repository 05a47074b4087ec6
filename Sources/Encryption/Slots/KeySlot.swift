package import StorageProtocol

/// A place in the manifest where the data key lies sealed for one user's key. docs/guide/encryption.md has the text.
package struct KeySlot: Sendable, Equatable {
    /// How the key that seals comes from the user's.
    package enum Derivation: Sendable, Equatable {
        case raw
        case passphrase(KeyCost)
    }

    package let derivation: Derivation
    /// What lies in the manifest.
    package let text: [UInt8]
    let salt: [UInt8]
    /// Nonce, sealed key and tag.
    let wrapped: [UInt8]
    /// So many bytes at the beginning of the text are sealed along.
    let boundCount: Int

    static let saltLength = 16
    static let wrappedLength = 12 + StorageKey.rawLength + 16

    /// The kind of key that may open it.
    package var kind: StorageKey.Kind { derivation == .raw ? .raw : .passphrase }
}
