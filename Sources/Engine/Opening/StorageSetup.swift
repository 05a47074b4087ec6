internal import SetteeEncryption
internal import SetteeStorageFiles
internal import StorageProtocol

/// How the stores of one generation of a database are made, opened and copied: the engine, its keys and what else was
/// asked for. It alone makes the options that engines are given, so that a key or compression is forgotten nowhere.
struct StorageSetup: Sendable {
    private(set) var factory: any StorageEngineFactory
    /// The keys of the generation; nil: it is not encrypted.
    private(set) var keys: GenerationKeys?
    /// Nil where the database is not encrypted.
    private(set) var ring: KeyRing?
    /// What becomes of attachments' contents.
    var codec: any BlobCodec
    /// What was asked for; nil: whatever it is.
    private(set) var compression: Compression?
    private let durability: Durability
    private let readOnly: Bool
    private let verifyOnOpen: Bool
    private let toleratesDamage: Bool

    init(
        _ factory: any StorageEngineFactory,
        _ wishes: DatabaseOptions,
        keys: GenerationKeys? = nil,
        ring: KeyRing? = nil
    ) {
        self.factory = factory
        self.keys = keys
        self.ring = ring
        codec = keys?.codec ?? PlainBlobCodec()
        compression = wishes.compression
        durability = wishes.durability
        readOnly = wishes.readOnly
        verifyOnOpen = wishes.verifyOnOpen
        toleratesDamage = wishes.toleratesDamage
    }

    var capabilities: StorageCapabilities { factory.capabilities }
    var isEncrypted: Bool { keys != nil }

    /// The setup of the next generation, or of a copy. If this one is encrypted, that one is too, with a page key of
    /// its own.
    func next() throws(StorageError) -> StorageSetup {
        guard let keys, let ring else { return self }
        return with(try keys.next(), ring)
    }

    /// The setup of a generation with other keys.
    func with(_ keys: GenerationKeys, _ ring: KeyRing) -> StorageSetup {
        var other = self
        other.keys = keys
        other.ring = ring
        other.codec = keys.codec
        return other
    }

    /// The setup of a generation that is not encrypted.
    func withoutKeys() -> StorageSetup {
        var other = self
        other.keys = nil
        other.ring = nil
        other.codec = PlainBlobCodec()
        return other
    }

    /// The setup of a generation of another engine.
    ///
    /// - Parameter compression: nil: as they are in new stores.
    func with(_ factory: any StorageEngineFactory, compression: Compression?) -> StorageSetup {
        var other = self
        other.factory = factory
        other.compression = compression
        return other
    }

    /// Whether what is encrypted with the keys of `other` is with these, and by the same engine; or neither has any.
    func hasKeys(of other: StorageSetup) -> Bool {
        factory.storageType == other.factory.storageType && keys?.dataKey == other.keys?.dataKey
    }

    // MARK: - Opening

    /// Looks whether the store in `directory` can be opened, and changes nothing.
    func authorize(_ directory: String) throws(StorageError) {
        do {
            try factory.authorize(directory: directory, options: options(immutable: false))
        } catch  where error.code == .unauthorized {
            throw StorageSetup.foreignData(directory)
        }
    }

    /// A data file that does not fit the key is damaged, since the manifest was written with the data key.
    private static func foreignData(_ directory: String) -> StorageError {
        .corrupt("The data file in '\(directory)' is not encrypted with the key that the manifest has for it")
    }

    /// Opens the store of a database. What it was authorized for, it can be opened with: another key is damage now.
    func open(_ directory: String, _ access: DatabaseFolder.Access) throws(StorageError) -> any StorageEngine {
        do {
            return try factory.open(directory: directory, options: options(immutable: access == .readOnlyImmutable))
        } catch  where error.code == .notFound {
            // The manifest says that there is one.
            throw .corrupt("The folder '\(directory)' has lost its data file")
        } catch  where error.code == .unauthorized {
            throw StorageSetup.foreignData(directory)
        }
    }

    private func options(immutable: Bool) -> StorageOptions {
        StorageOptions(
            readOnly: readOnly,
            immutable: immutable,
            durability: durability,
            compression: compression,
            key: keys?.pageKey,
            verifyOnOpen: verifyOnOpen,
            toleratesDamage: toleratesDamage
        )
    }

    /// Makes a store, synced at every commit.
    func create(in directory: String) throws(StorageError) -> any StorageEngine {
        try factory.open(
            directory: directory,
            options: StorageOptions(create: true, compression: compression, key: keys?.pageKey)
        )
    }

    /// Makes the store of a database in memory. It cannot be opened again.
    func createInMemory() throws(StorageError) -> any StorageEngine {
        try factory.open(
            directory: "",
            options: StorageOptions(create: true, durability: durability, compression: compression)
        )
    }

    /// Makes a store that another one's content is brought into. What is committed to it is synced by `checkpoint`
    /// alone, where the engine can do so.
    ///
    /// - Parameter goesOn: whether it is there already, half built, and is to be checked before it is used: nobody has
    ///   synced it.
    func openBuilding(in directory: String, goesOn: Bool = false) throws(StorageError) -> any StorageEngine {
        var options = StorageOptions(
            create: !goesOn,
            durability: capabilities.durabilities.contains(.normal) ? .normal : .full,
            compression: compression,
            key: keys?.pageKey,
            verifyOnOpen: goesOn
        )
        options.isBeingBuilt = true
        return try factory.open(directory: directory, options: options)
    }

    // MARK: - Copies

    /// The options for a copy that this setup will open. This setup is the `next` of the source's.
    var copyOptions: StorageCopyOptions { StorageCopyOptions(key: keys.map { .other($0.pageKey) } ?? .same) }

    /// Opens a copy of the store for writing.
    ///
    /// - Parameter durability: what its commits survive.
    func openCopy(in directory: String, durability: Durability) throws(StorageError) -> any StorageEngine {
        try factory.open(
            directory: directory,
            options: StorageOptions(durability: durability, compression: compression, key: keys?.pageKey)
        )
    }
}
