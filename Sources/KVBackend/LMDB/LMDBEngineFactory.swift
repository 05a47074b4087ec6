public import StorageProtocol

/// Opens stores in LMDB files: `data.mdb` in the given directory, an ordinary file that `mdb_stat` and `mdb_dump` can
/// read.
public struct LMDBEngineFactory: StorageEngineFactory {
    public var storageType: StorageType { .lmdb }
    public var capabilities: StorageCapabilities { .ofLMDB }

    /// How many bytes of address space to reserve for a file at first; nil: 1 TiB, or as much as the system provides.
    private let mapSize: Int?

    public init() { mapSize = nil }

    /// - Parameter mapSize: How many bytes of address space to reserve for a file at first. This is how much the file
    ///   can hold before it must be mapped again, which requires a moment without transactions.
    public init(mapSize: Int) { self.mapSize = mapSize }

    /// Reads some pages of the data file, but does not touch the reader table.
    public func authorize(directory: String, options: StorageOptions) throws(StorageError) {
        let format = try FormatLook.format(
            of: directory + "/" + LMDBFolder.dataName,
            toleratingDamage: options.toleratesDamage
        )
        try format?.compression.requireSame(as: options.compression)
    }

    /// - Throws: The errors of the protocol; `inUse` (423) if this process has the file open in an incompatible way.
    public func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
        try requireSupport(for: options)
        let engine: LMDBEngine
        do throws(StorageError) {
            engine = try LMDBEngine(directory: directory, options: options, mapSize: mapSize)
        } catch {
            guard options.toleratesDamage, error.code == .corrupt else { throw error }
            throw DamageCheck.withList(error, path: directory + "/" + LMDBFolder.dataName)
        }
        do throws(StorageError) {
            try engine.compression.requireSame(as: options.compression)
        } catch {
            engine.close()
            throw error
        }
        return engine
    }
}

extension StorageCapabilities {
    static let ofLMDB = StorageCapabilities(
        sharing: .multiProcess,
        compaction: .inSteps,
        canCopy: true,
        compressions: [.uncompressed, .lz4]
    )
}
