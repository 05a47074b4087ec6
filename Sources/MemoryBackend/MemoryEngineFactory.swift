public import StorageProtocol

/// Makes stores in memory: every open gives a new, empty one, which ends with `close` or its last reference.
public struct MemoryEngineFactory: StorageEngineFactory {
    public init() {}

    public var storageType: StorageType { .memory }
    public var sharing: StorageSharing { .exclusive }
    public var isPersistent: Bool { false }
    public var compressions: [Compression] { [.uncompressed] }

    /// Makes a store. `directory` and `options.durability` mean nothing to it.
    ///
    /// - Throws: `notFound` (404) without `options.create`: there is never anything to find.
    public func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
        try check(options.compression)
        guard options.create else {
            throw StorageError(
                .notFound,
                "A store in memory does not outlive its engine. Open it with the create option to make a new one."
            )
        }
        return MemoryEngine(readOnly: options.readOnly || options.immutable)
    }
}
