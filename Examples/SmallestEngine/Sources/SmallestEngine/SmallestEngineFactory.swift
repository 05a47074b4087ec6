public import StorageProtocol

/// Opens stores of the type `smallest`: what a `Manager` is given.
public struct SmallestEngineFactory: StorageEngineFactory {
    public let storageType: StorageType

    public init() throws(StorageError) { storageType = try StorageType("smallest") }

    public var capabilities: StorageCapabilities { .ofSmallest }

    public func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
        try requireSupport(for: options)
        let file = try StoreFile(directory: directory, isLocked: !options.immutable)
        if let content = try file.load() {
            try options.requireNoneToBeBuilt()
            return SmallestEngine(storageType, file, content, options)
        }
        // Nothing that belongs to others is written over: what is no store of ours must be an empty folder.
        guard try file.isAlone() else {
            throw StorageError(.unsupportedFormat, "The folder '\(directory)' holds something else. Use another one.")
        }
        guard options.create, !options.readOnly, !options.immutable else {
            throw StorageError(.notFound, "There is no store in '\(directory)'. Open it with the create option.")
        }
        try file.save(SortedBytes())
        return SmallestEngine(storageType, file, SortedBytes(), options)
    }
}

extension StorageCapabilities {
    /// All is written at every commit and synced, so every durability can be had. The rest is the little that the
    /// defaults promise: no copies, no compaction, no keys, no compression.
    static let ofSmallest = StorageCapabilities(sharing: .exclusive)
}
