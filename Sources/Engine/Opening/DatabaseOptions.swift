public import StorageProtocol

/// How a database is opened.
public struct DatabaseOptions: Sendable {
    /// The engine for a new database; for an existing one, the engine it is to have: where it has another, `onMismatch`
    /// says what happens. Nil: the manager's default for a new database, and whatever made it for an existing one.
    public var storageType: StorageType?
    /// What becomes of an existing database that has another engine than `storageType`. It is converted where nobody
    /// has it open, before it is opened; not with `readOnly` and `toleratesDamage`, where it is `invalidStorageType`
    /// (497).
    public var onMismatch: MismatchAction
    /// Make the database where there is none; otherwise, and with `readOnly`, that is `notFound` (404).
    public var create: Bool
    /// Refuse every write (403). Opens folders that cannot be written, too.
    public var readOnly: Bool
    /// What a commit survives.
    public var durability: Durability
    /// How a new database keeps the bodies of documents; for an existing one, what it must have been made with (495
    /// otherwise). `notImplemented` (501) where the storage type cannot. Nil: as they are in a new database, and
    /// whatever it was made with for an existing one.
    public var compression: Compression?
    /// The key of an encrypted database: what a new one is encrypted with, what opens an existing one (`unauthorized`,
    /// 401, otherwise; `badParameter`, 495, where that is not encrypted). `.sqlite` with a key is `.sqlcipher`;
    /// `notImplemented` (501) where the storage type does not encrypt. A passphrase takes a fraction of a second to
    /// derive a key from, a raw key nothing. Nil: the database is not encrypted; `.sqlcipher` is `badRequest` (400)
    /// then where it is to be made.
    public var key: StorageKey?
    /// How slowly a key is derived from a passphrase, where this opening makes the database or encrypts it. What exists
    /// has its own.
    public var keyDerivation: KeyDerivation
    /// Have an encrypted database become a plain one, with a `storageType` that is not encrypted: `key` opens it for
    /// the last time, and is not needed any more. Without this word that is `badRequest` (400).
    public var decrypt: Bool
    /// How long a write waits for another process's, before it fails with `inUse` (423). Opening waits 10 seconds at
    /// most.
    public var busyTimeout: Duration
    /// The share of the engine's files that must be free for them to be rewritten by themselves while the database is
    /// open, above 0 and up to 1: half of them where nothing else is said. Nil: never. Only `.lmdb` databases do so;
    /// others, and small ones, wait for `Database.compact`.
    public var compactionThreshold: Double?
    /// How many threads map functions of views run on, at least 1. Nil: as many as there are cores.
    public var mappingThreads: Int?
    /// Check all pages of the engine's files before anything is read, where the engine's library trusts them (`.lmdb`):
    /// damage is `corrupt` (591). Costs reading all of the files. Done by itself after a first sign of damage.
    public var verifyOnOpen: Bool
    /// Open also what damage would otherwise refuse, as far as it can be read, for `Database.check` and for rescue:
    /// what is read may be incomplete or wrong, and reading may fail anywhere with `corrupt` (591). Every write is
    /// refused (403). Where not even that can be done the cause of the error is a `DamageList`. Wins over
    /// `verifyOnOpen`.
    public var toleratesDamage: Bool

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
