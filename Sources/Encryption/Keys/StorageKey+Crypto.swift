internal import Crypto
internal import StorageProtocol

extension StorageKey {
    /// The bytes of a raw key, for cryptographic functions. swift-crypto overwrites its copy.
    var symmetric: SymmetricKey {
        withBytes { unsafe $0.withUnsafeBytes { unsafe SymmetricKey(data: $0) } }
    }

    /// Returns the result of a derivation as a raw key.
    static func raw(_ derived: SymmetricKey) throws(StorageError) -> StorageKey {
        let key = unsafe derived.withUnsafeBytes { bytes in
            Result { () throws(StorageError) in try unsafe StorageKey(bytes: bytes.bytes) }
        }
        return try key.get()
    }
}
