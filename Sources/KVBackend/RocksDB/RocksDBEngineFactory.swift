#if RocksDB
public import StorageProtocol

/// Opens stores in RocksDB databases: `rocksdb` in the given directory, a folder that RocksDB's tools can read.
///
/// The library is loaded when the first store is opened. Without it, `open` is `notImplemented` (501).
public struct RocksDBEngineFactory: StorageEngineFactory {
    public var storageType: StorageType { .rocksdb }
    public var capabilities: StorageCapabilities { .ofRocksDB }

    private let memory: Int

    /// - Parameter memory: about how many bytes an open store keeps in memory, at least 8 MiB: half of them for what
    ///   was written and is in no table file yet, half for what was read.
    public init(memory: Int = 128 << 20) { self.memory = max(8 << 20, memory) }

    /// - Throws: The errors of the protocol; `inUse` (423) if the files are open elsewhere.
    public func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
        try requireSupport(for: options)
        return try RocksDBEngine(directory: directory, options: options, memory: memory)
    }
}

extension StorageCapabilities {
    static let ofRocksDB = StorageCapabilities(
        sharing: .exclusive,
        compaction: .byItself,
        canCopy: true,
        canReadBesideWriter: true
    )
}
#endif
