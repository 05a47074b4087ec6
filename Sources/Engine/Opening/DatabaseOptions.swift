public import StorageProtocol

/// How a database is opened.
public struct DatabaseOptions: Sendable {
    /// The storage type of a new database, or the one that an existing database is to have: if it has another,
    /// `onMismatch` says what happens. Nil: the manager's default for a new database; an existing one stays as it is.
    public var storageType: StorageType?
    /// What happens to an existing database whose storage type is not `storageType`. By default it is converted before
    /// it is opened, if nothing else has it open. With `readOnly` or `toleratesDamage` it is not converted but refused
    /// with `invalidStorageType` (497).
    public var onMismatch: MismatchAction
    /// Creates the database if it does not exist. Otherwise, and with `readOnly`, a missing database is `notFound`
    /// (404).
    public var create: Bool
    /// Refuses every write (403). Also opens folders that cannot be written.
    public var readOnly: Bool
    /// What a commit survives.
    public var durability: Durability
    /// How a new database stores the bodies of documents. For an existing one, how it must store them (495 otherwise).
    /// `notImplemented` (501) if the storage type does not support it. Nil: the default for a new database; an existing
    /// one stays as it is.
    public var compression: Compression?
    /// The key of an encrypted database: it encrypts a new database and opens an existing one. Another key is
    /// `unauthorized` (401). For a plain database it is `badParameter` (495), unless `storageType` asks for an
    /// encrypted one: then the database is encrypted before it is opened, as `onMismatch` says. `.sqlite` with a key is
    /// `.sqlcipher`; `notImplemented` (501) if the storage type does not encrypt. Deriving a key from a passphrase
    /// takes a fraction of a second; a raw key takes no time. Nil: the database is not encrypted; creating a
    /// `.sqlcipher` database is then `badRequest` (400).
    public var key: StorageKey?
    /// How slowly a key is derived from a passphrase if this call creates or encrypts the database. An existing
    /// encrypted database keeps its own setting.
    public var keyDerivation: KeyDerivation
    /// Turns an encrypted database into a plain one, if `storageType` is not encrypted: `key` opens it for the last
    /// time and is not needed afterwards. Without this option that is `badRequest` (400).
    public var decrypt: Bool
    /// How long a write waits for a write of another process before it fails with `inUse` (423). Opening waits at most
    /// 10 seconds.
    public var busyTimeout: Duration
    /// The share of the engine's files, above 0 and up to 1, that must be free for the files to be rewritten
    /// automatically while the database is open. The default is one half. Nil: never. Only `.lmdb` databases do this;
    /// small ones and those of other types wait for `Database.compact`.
    public var compactionThreshold: Double?
    /// How many threads run the map functions of views, at least 1. Nil: one for each core.
    public var mappingThreads: Int?
    /// Checks all pages of the engine's files before anything is read, if the library of the engine trusts them
    /// (`.lmdb`): damage is `corrupt` (591). Reads all of the files. Also done automatically after a first sign of
    /// damage.
    public var verifyOnOpen: Bool
    /// Also opens a damaged database that would otherwise be refused, as far as it can be read, for `Database.check`
    /// and for rescue. What is read may be incomplete or wrong, and any read may fail with `corrupt` (591). Every write
    /// is refused (403). If even that is impossible, the cause of the error is a `DamageList`. Takes precedence over
    /// `verifyOnOpen`.
    public var toleratesDamage: Bool
    /// For programs that only read: if another process has the database to itself and its engine can be read meanwhile,
    /// it is opened like that, read-only, and shows the state of this moment.
    package var besideWriter = false

    public init(
        storageType: StorageType? = nil,
        onMismatch: MismatchAction = .upgrade,
        create: Bool = true,
        readOnly: Bool = false,
        durability: Durability = .full,
        compression: Compression? = nil,
        key: StorageKey? = nil,
        keyDerivation: KeyDerivation = .standard,
        decrypt: Bool = false,
        busyTimeout: Duration = .seconds(10),
        compactionThreshold: Double? = 0.5,
        mappingThreads: Int? = nil,
        verifyOnOpen: Bool = false,
        toleratesDamage: Bool = false
    ) {
        self.storageType = storageType
        self.onMismatch = onMismatch
        self.create = create
        self.readOnly = readOnly
        self.durability = durability
        self.compression = compression
        self.key = key
        self.keyDerivation = keyDerivation
        self.decrypt = decrypt
        self.busyTimeout = busyTimeout
        self.compactionThreshold = compactionThreshold
        self.mappingThreads = mappingThreads
        self.verifyOnOpen = verifyOnOpen
        self.toleratesDamage = toleratesDamage
    }
}
