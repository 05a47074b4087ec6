public import StorageProtocol

/// Creates stores in memory. Every open creates a new, empty one, which ends with `close` or its last reference.
public struct MemoryEngineFactory: StorageEngineFactory {
    public init() {}

    public var storageType: StorageType { .memory }
    public var capabilities: StorageCapabilities { .ofMemory }

    /// Creates a store. `directory` and `options.durability` have no effect.
    ///
    /// - Throws: `notImplemented` (501) for a key or a compression, `notFound` (404) without `options.create`, because
    ///   there is never an existing store.
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
