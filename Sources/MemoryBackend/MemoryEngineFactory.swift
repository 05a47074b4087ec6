public import StorageProtocol

/// Makes stores in memory: every open gives a new, empty one, which ends with `close` or its last reference.
public struct MemoryEngineFactory: StorageEngineFactory {
    public init() {}

    public var storageType: StorageType { .memory }
    public var capabilities: StorageCapabilities { .ofMemory }

    /// Makes a store. `directory` and `options.durability` mean nothing to it.
    ///
    /// - Throws: `notImplemented` (501) for a key or a compression, `notFound` (404) without `options.create`: there is
    ///   never anything to find.
    public func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
        try requireSupport(for: options)
        guard options.create else {
            throw StorageError(
                .notFound,
                "A store in memory does not outlive its engine. Open it with the create option to make a new one."
            )
        }
        return MemoryEngine(readOnly: options.readOnly || options.immutable, isBeingBuilt: options.isBeingBuilt)
    }
}

extension StorageCapabilities {
    static let ofMemory = StorageCapabilities(sharing: .exclusive, location: .memory)
}
