/// Opens the stores of one storage type; what a `Manager` is given for each engine it may use.
public protocol StorageEngineFactory: Sendable {
    /// The type of the stores, as manifests name it.
    var storageType: StorageType { get }
    /// How other processes may use a store of this type meanwhile.
    var sharing: StorageSharing { get }
    /// Whether a database of this type is a folder on disk (all but `.memory`).
    var isPersistent: Bool { get }
    /// How stores of this type can keep bodies.
    var compressions: [Compression] { get }

    /// Opens the store in `directory`, which exists. Where it is empty and `options.create` is set, a new store is
    /// made, complete and synced when this returns. Files of anything else are never touched. A factory that is not
    /// `isPersistent` makes a new store at each call, whatever `directory` says.
    ///
    /// - Throws: `notFound` (404) for an empty directory without `create`; `notImplemented` (501) for a `compression` that
    ///   is none of `compressions`, before anything is made; `badParameter` (495) for another one than the store has;
    ///   `corrupt` (591), `unsupportedFormat` (591), `unauthorized` (401), `readOnly` (403), `fileSystem` (498). With `toleratesDamage` the
    ///   cause of `corrupt` may be a `DamageList`.
    func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine
}

/// How a store is opened.
public struct StorageOptions: Sendable {
    /// Make a new store where the directory is empty.
    public var create = false
    /// Refuse every write.
    public var readOnly = false
    /// The medium itself is read-only and nobody can change the files: no locks, no shared memory. Implies `readOnly`.
    public var immutable = false
    /// What a commit survives.
    public var durability = Durability.full
    /// Check the whole file before it is used, where the engine's library trusts its file and damage could end the process.
    /// Costs reading all of it; engines whose library checks as it reads ignore this.
    public var verifyOnOpen = false
    /// Open what damage would otherwise refuse, as far as it can be read, for `verify` and for rescue. Refuses every write, and
    /// does not do what `verifyOnOpen` says. Engines whose library opens such files anyway ignore this.
    public var toleratesDamage = false
    /// How a new store keeps bodies; for an existing one, what it must have been made with. Nil: as they are in a new store,
    /// and whatever it was made with for an existing one.
    public var compression: Compression?

    public init(
        create: Bool = false,
        readOnly: Bool = false,
        immutable: Bool = false,
        durability: Durability = .full,
        compression: Compression? = nil,
        verifyOnOpen: Bool = false,
        toleratesDamage: Bool = false
    ) {
        self.create = create
        self.readOnly = readOnly
        self.immutable = immutable
        self.durability = durability
        self.verifyOnOpen = verifyOnOpen
        self.toleratesDamage = toleratesDamage
        self.compression = compression
    }
}

/// What a commit survives.
public enum Durability: String, Sendable, CaseIterable {
    /// A commit that returned survives power loss: the disk is synced at every commit.
    case full
    /// A commit that returned survives the end of the process; the last ones may be lost with the power, never the
    /// consistency.
    case normal
}

/// How several processes may use one store at a time.
public enum StorageSharing: String, Sendable {
    /// Any number of processes read and write (one at a time writes).
    case multiProcess
    /// One process writes; others may read.
    case oneWriterManyReaders
    /// One process has the store to itself.
    case exclusive
}
