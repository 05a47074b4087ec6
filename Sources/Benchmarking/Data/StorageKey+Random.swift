internal import Settee
internal import StorageProtocol

extension StorageKey {
    /// Returns a key for a type that needs one. It is a raw key, so that key derivation is not measured.
    static func random(for type: StorageType) throws(StorageError) -> StorageKey? {
        guard BuiltInEngines.all.contains(where: { $0.storageType == type && $0.capabilities.requiresKey }) else {
            return nil
        }
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<StorageKey.rawLength).map { _ in UInt8.random(in: 0...255, using: &random) }
        return try unsafe StorageKey(bytes: bytes.span.bytes)
    }
}
