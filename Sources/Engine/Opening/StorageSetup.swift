internal import SetteeStorageFiles
internal import StorageProtocol

/// How the stores of one database are made, opened and copied: the engine, the key and what else was asked for. It alone makes
/// the options that engines are given, so that a key or compression is forgotten nowhere.
struct StorageSetup: Sendable {
    let factory: any StorageEngineFactory
    private let key: StorageKey?
    /// What was asked for; nil: whatever it is.
    private let compression: Compression?
    private let durability: Durability
    private let readOnly: Bool
    private let verifyOnOpen: Bool
    private let toleratesDamage: Bool

    init(_ factory: any StorageEngineFactory, _ wishes: DatabaseOptions) {
        self.factory = factory
        key = wishes.key
        compression = wishes.compression
        durability = wishes.durability
        readOnly = wishes.readOnly
        verifyOnOpen = wishes.verifyOnOpen
        toleratesDamage = wishes.toleratesDamage
    }

    var capabilities: StorageCapabilities { factory.capabilities }

    // MARK: - Judging

    /// Looks whether these stores can be what was asked for.
    ///
    /// - Throws: `invalidStorageType` (497) where another type was; as `StorageEngineFactory.requireSupport`.
    func judge(_ wishes: DatabaseOptions) throws(StorageError) {
        if let wanted = wishes.storageType, wanted != factory.storageType {
            throw StorageError(
                .invalidStorageType,
                "The database is stored as '\(factory.storageType)', not '\(wanted)'. Open it without a storage type."
            )
        }
        try factory.requireSupport(
            key: wishes.key,
            compression: wishes.compression,
            durability: wishes.durability
        )
    }

    /// Looks whether this store, which is there, is what was asked for.
    ///
    /// - Parameter present: its compression.
    /// - Throws: as `judge`; `badParameter` (495) where its compression is another, `unauthorized` (401) where its key is.
    func judge(_ wishes: DatabaseOptions, present: Compression) throws(StorageError) {
        try judge(wishes)
        try present.requireSame(as: wishes.compression)
        guard wishes.key == key else {
            throw StorageError(
                .unauthorized,
                "The database is open with another key, or without one. Give the key that it is encrypted with."
            )
        }
    }

    // MARK: - Opening

    /// Looks whether the store in `directory` can be opened, and changes nothing.
    func authorize(_ directory: String) throws(StorageError) {
        try factory.authorize(directory: directory, options: options(immutable: false))
    }

    /// Opens the store of a database.
    func open(_ directory: String, _ access: DatabaseFolder.Access) throws(StorageError) -> any StorageEngine {
        do {
            return try factory.open(directory: directory, options: options(immutable: access == .readOnlyImmutable))
        } catch  where error.code == .notFound {
            // The manifest says that there is one.
            throw .corrupt("The folder '\(directory)' has lost its data file")
        }
    }

    private func options(immutable: Bool) -> StorageOptions {
        StorageOptions(
            readOnly: readOnly,
            immutable: immutable,
            durability: durability,
            compression: compression,
            key: key,
            verifyOnOpen: verifyOnOpen,
            toleratesDamage: toleratesDamage
        )
    }

    /// Makes a store, synced at every commit.
    func create(in directory: String) throws(StorageError) -> any StorageEngine {
        try factory.open(
            directory: directory,
            options: StorageOptions(create: true, compression: compression, key: key)
        )
    }

    /// Makes the store of a database in memory, which is its only opening.
    func createInMemory() throws(StorageError) -> any StorageEngine {
        try factory.open(
            directory: "",
            options: StorageOptions(create: true, durability: durability, compression: compression, key: key)
        )
    }

    // MARK: - Copies

    /// What a copy of the store is to be, in a next generation or in another folder.
    var copyOptions: StorageCopyOptions { StorageCopyOptions() }

    /// Opens a copy of the store, which may then be written.
    ///
    /// - Parameter durability: what its commits survive.
    func openCopy(in directory: String, durability: Durability) throws(StorageError) -> any StorageEngine {
        try factory.open(
            directory: directory,
            options: StorageOptions(durability: durability, compression: compression, key: key)
        )
    }
}
