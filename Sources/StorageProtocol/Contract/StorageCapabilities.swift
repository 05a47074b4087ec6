/// What the stores of one type can do. All of it is in one value, so that a wrapper of an engine passes all of it on.
public struct StorageCapabilities: Sendable, Equatable {
    /// Where the stores are located.
    public var location: StorageLocation
    /// How other processes may use a store that is open.
    public var sharing: StorageSharing
    /// Whether a store that another process has to itself can be read meanwhile (`StorageOptions.besideWriter`).
    public var canReadBesideWriter: Bool
    /// How unused space is freed.
    public var compaction: StorageCompaction
    /// Whether `copy` is supported, which writes a packed copy of a store to another directory.
    public var canCopy: Bool
    /// Whether a store can be opened with a key.
    public var encrypts: Bool
    /// Whether a store cannot be opened without a key.
    public var requiresKey: Bool
    /// The encrypted counterpart of this type. It is used instead when a store of this type is to be created with a
    /// key. Nil if there is none.
    public var encryptedType: StorageType?
    /// How stores are encrypted, including every setting that must match for a file to be readable. A database records
    /// this text and cannot be opened if it has changed. Nil if stores are not encrypted.
    public var cipher: String?
    /// The compressions that stores support for bodies.
    public var compressions: [Compression]
    /// The durabilities that commits can have.
    public var durabilities: [Durability]
    /// Whether `records(in:where:)` reads parts of all records faster than ranges of IDs.
    public var walksFasterInParts: Bool

    /// - Parameter sharing: Has no default, because no other wrong value does as much harm.
    public init(
        sharing: StorageSharing,
        location: StorageLocation = .folder,
        compaction: StorageCompaction = .none,
        canCopy: Bool = false,
        encrypts: Bool = false,
        requiresKey: Bool = false,
        encryptedType: StorageType? = nil,
        cipher: String? = nil,
        compressions: [Compression] = [.uncompressed],
        durabilities: [Durability] = Durability.allCases,
        walksFasterInParts: Bool = false,
        canReadBesideWriter: Bool = false
    ) {
        self.sharing = sharing
        self.location = location
        self.compaction = compaction
        self.canCopy = canCopy
        self.encrypts = encrypts
        self.requiresKey = requiresKey
        self.encryptedType = encryptedType
        self.cipher = cipher
        self.compressions = compressions
        self.durabilities = durabilities
        self.walksFasterInParts = walksFasterInParts
        self.canReadBesideWriter = canReadBesideWriter
    }
}

extension StorageCapabilities {
    /// Whether no other process can have the files open. A compaction in place takes no lock that would keep others
    /// out.
    fileprivate var mayCompactByItself: Bool {
        location == .memory || location == .remote || !(sharing == .multiProcess || sharing == .oneWriterManyReaders)
    }
}

extension StorageEngineFactory {
    /// Checks whether a store of this type supports what was requested. It is called first when a database is created,
    /// opened, or already open, and by every factory at the start of `open`.
    ///
    /// - Throws: `notImplemented` (501) for a key if stores are not encrypted, for a compression or durability that
    ///   they do not support, and for an engine that declares a contradictory combination.
    public func requireSupport(
        key: StorageKey?,
        compression: Compression?,
        durability: Durability
    ) throws(StorageError) {
        if capabilities.compaction == .byItself, !capabilities.mayCompactByItself {
            throw StorageError(
                .notImplemented,
                "The engine of type '\(storageType)' declares that it compacts its files by itself, beside other "
                    + "processes. "
                    + "Only one that has its files to itself may do that: have it declare `exclusive`, or another "
                    + "compaction."
            )
        }
        if key != nil, !capabilities.encrypts {
            throw StorageError(
                .notImplemented,
                "Databases of type '\(storageType)' cannot be encrypted. Use another storage type, or no key."
            )
        }
        if let compression, !capabilities.compressions.contains(compression) {
            throw StorageError(
                .notImplemented,
                "Databases of type '\(storageType)' cannot have the compression '\(compression.rawValue)'; they can "
                    + "have: "
                    + "\(capabilities.compressions.map(\.rawValue).joined(separator: ", "))."
            )
        }
        guard capabilities.durabilities.contains(durability) else {
            throw StorageError(
                .notImplemented,
                "Databases of type '\(storageType)' cannot have the durability '\(durability.rawValue)'; they can "
                    + "have: "
                    + "\(capabilities.durabilities.map(\.rawValue).joined(separator: ", "))."
            )
        }
    }

    /// Checks the key, compression and durability of `options` in the same way.
    public func requireSupport(for options: StorageOptions) throws(StorageError) {
        try requireSupport(key: options.key, compression: options.compression, durability: options.durability)
    }
}

extension Compression {
    /// - Throws: `badParameter` (495) if a store that has this compression was requested with another one.
    public func requireSame(as wanted: Compression?) throws(StorageError) {
        guard let wanted, wanted != self else { return }
        throw StorageError(
            .badParameter,
            """
            The database was made with the compression '\(rawValue)', not '\(wanted.rawValue)'. Open it without a \
            compression, or export it and import that into a new database.
            """
        )
    }
}
