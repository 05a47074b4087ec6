/// What the stores of one type can do. One value, so that who wraps an engine passes all of it on.
public struct StorageCapabilities: Sendable, Equatable {
    /// Where the stores are.
    public var location: StorageLocation
    /// How other processes may use a store meanwhile.
    public var sharing: StorageSharing
    /// How space is given back.
    public var compaction: StorageCompaction
    /// Whether there is `copy`: a store can be written, packed, into another directory.
    public var canCopy: Bool
    /// Whether a store can be opened with a key.
    public var encrypts: Bool
    /// Whether it cannot be opened without one.
    public var requiresKey: Bool
    /// The type whose stores are like these, and encrypted: what is made where this type is asked for with a key. Nil:
    /// there is none.
    public var encryptedType: StorageType?
    /// How stores are encrypted, with all settings that must be the same for a file to be read. A database keeps this
    /// text and is not opened where it is another. Nil where stores are not encrypted.
    public var cipher: String?
    /// How stores can keep bodies.
    public var compressions: [Compression]
    /// What commits can survive.
    public var durabilities: [Durability]

    /// - Parameter sharing: has no default, since nothing else does as much harm where it is wrong.
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
        durabilities: [Durability] = Durability.allCases
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
    }
}

extension StorageCapabilities {
    /// Whether nobody else can have the files open: a compaction in place takes no lock that others would wait for.
    fileprivate var mayCompactByItself: Bool {
        location == .memory || location == .remote || !(sharing == .multiProcess || sharing == .oneWriterManyReaders)
    }
}

extension StorageEngineFactory {
    /// Looks whether a store of this type can be what was asked for. What opens a database asks this first, for
    /// databases to be made, to be opened and open already; every factory asks it in `open`, before anything else.
    ///
    /// - Throws: `notImplemented` (501) for a key where stores are not encrypted, a compression or a durability that
    ///   they do not have; and for an engine that declares what does not go together.
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

    /// The same for the wishes of an opening.
    public func requireSupport(for options: StorageOptions) throws(StorageError) {
        try requireSupport(key: options.key, compression: options.compression, durability: options.durability)
    }
}

extension Compression {
    /// - Throws: `badParameter` (495) where a store that has this compression was asked for with another.
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
