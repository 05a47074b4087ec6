internal import SetteeEncryption
package import SetteeStorageFiles
package import StorageProtocol

/// How the stores of one generation of a database are created, opened and copied: the engine, its keys and other
/// options. All options for engines are created here, so that a key or compression is never omitted.
package struct StorageSetup: Sendable {
    private(set) var factory: any StorageEngineFactory
    /// The keys of the generation; nil: it is not encrypted.
    package private(set) var keys: GenerationKeys?
    /// Nil if the database is not encrypted.
    private(set) var ring: KeyRing?
    /// How the contents of attachments are encoded.
    package var codec: any BlobCodec
    /// The requested compression; nil: any.
    private(set) var compression: Compression?
    private let durability: Durability
    private let readOnly: Bool
    private let verifyOnOpen: Bool
    private let toleratesDamage: Bool

    package init(
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

    package var capabilities: StorageCapabilities { factory.capabilities }
    package var isEncrypted: Bool { keys != nil }

    /// Returns the setup of the next generation, or of a copy. If this one is encrypted, that one is too, with a page
    /// key of its own.
    package func next() throws(StorageError) -> StorageSetup {
        guard let keys, let ring else { return self }
        return with(try keys.next(), ring)
    }

    /// Returns the setup of a generation with other keys.
    func with(_ keys: GenerationKeys, _ ring: KeyRing) -> StorageSetup {
        var other = self
        other.keys = keys
        other.ring = ring
        other.codec = keys.codec
        return other
    }

    /// Returns the setup of a generation that is not encrypted.
    func withoutKeys() -> StorageSetup {
        var other = self
        other.keys = nil
        other.ring = nil
        other.codec = PlainBlobCodec()
        return other
    }

    /// Returns the setup of a generation of another engine.
    ///
    /// - Parameter compression: Nil: the default of new stores.
    func with(_ factory: any StorageEngineFactory, compression: Compression?) -> StorageSetup {
        var other = self
        other.factory = factory
        other.compression = compression
        return other
    }

    /// Whether both have the same engine and the same data key, or no data key.
    func hasKeys(of other: StorageSetup) -> Bool {
        factory.storageType == other.factory.storageType && keys?.dataKey == other.keys?.dataKey
    }

    // MARK: - Opening

    /// Checks whether the store in `directory` can be opened, without changing anything.
    func authorize(_ directory: String) throws(StorageError) {
        do {
            try factory.authorize(directory: directory, options: options(immutable: false))
        } catch  where error.code == .unauthorized {
            throw StorageSetup.foreignData(directory)
        }
    }

    /// If a data file does not match the key it is damaged, because the manifest was written with the data key.
    private static func foreignData(_ directory: String) -> StorageError {
        .corrupt("The data file in '\(directory)' is not encrypted with the key that the manifest has for it")
    }

    /// Opens the store of a database. It was authorized before, so a wrong key now means damage.
    func open(_ directory: String, _ access: DatabaseFolder.Access) throws(StorageError) -> any StorageEngine {
        do {
            return try factory.open(directory: directory, options: try options(for: access))
        } catch  where error.code == .notFound {
            // The manifest says that there is one.
            throw .corrupt("The folder '\(directory)' has lost its data file")
        } catch  where error.code == .unauthorized {
            throw StorageSetup.foreignData(directory)
        }
    }

    private func options(for access: DatabaseFolder.Access) throws(StorageError) -> StorageOptions {
        var options = options(immutable: access == .readOnlyImmutable)
        options.besideWriter = access == .readOnlyBesideWriter
        // The manifest was another one when it was looked at first.
        if options.besideWriter, !capabilities.canReadBesideWriter {
            throw StorageError(.inUse, "The database was converted while it was being opened. Open it again.")
        }
        return options
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

    /// Creates a store that is synced at every commit.
    func create(in directory: String) throws(StorageError) -> any StorageEngine {
        try factory.open(
            directory: directory,
            options: StorageOptions(create: true, compression: compression, key: keys?.pageKey)
        )
    }

    /// Creates the store of a database in memory. It cannot be opened again.
    func createInMemory() throws(StorageError) -> any StorageEngine {
        try factory.open(
            directory: "",
            options: StorageOptions(create: true, durability: durability, compression: compression)
        )
    }

    /// Creates a store that receives the content of another one. Its commits are synced only by `checkpoint`, if the
    /// engine supports that.
    ///
    /// - Parameter goesOn: Whether it exists already, partly built. It is then checked before it is used, because it
    ///   was never synced.
    package func openBuilding(in directory: String, goesOn: Bool = false) throws(StorageError) -> any StorageEngine {
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
    package var copyOptions: StorageCopyOptions { StorageCopyOptions(key: keys.map { .other($0.pageKey) } ?? .same) }

    /// Opens a copy of the store for writing.
    ///
    /// - Parameter durability: What its commits survive.
    package func openCopy(in directory: String, durability: Durability) throws(StorageError) -> any StorageEngine {
        try factory.open(
            directory: directory,
            options: StorageOptions(durability: durability, compression: compression, key: keys?.pageKey)
        )
    }
}
