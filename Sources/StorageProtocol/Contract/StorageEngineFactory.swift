/// Opens the stores of one storage type; what a `Manager` is given for each engine it may use.
public protocol StorageEngineFactory: Sendable {
    /// The type of the stores, as manifests name it.
    var storageType: StorageType { get }
    /// What the stores can do. There is no default: whoever wraps a factory passes its value on.
    var capabilities: StorageCapabilities { get }

    /// Looks, without changing a byte or a time of any file, whether the store in `directory` can be opened with
    /// `options`: its format, its key, its compression. Called before `open`, while other processes may write, and also
    /// where this process has the store open. By itself it does nothing, and all is left to `open`.
    ///
    /// - Throws: what `open` would, where that is certain. In doubt nothing.
    func authorize(directory: String, options: StorageOptions) throws(StorageError)

    /// What the store in `directory` has in a log; asked where it is to be read and its files cannot be written.
    /// Changes nothing. By itself there is none.
    func pendingLog(directory: String) throws(StorageError) -> PendingLog

    /// Opens the store in `directory`, which exists. Where it is empty and `options.create` is set, a new store is
    /// made, complete and synced when this returns. Files of anything else are never touched. A factory of stores in
    /// memory makes a new one at each call, whatever `directory` says.
    ///
    /// - Throws: `notImplemented` (501) as `requireSupport` says, before anything is made; `notFound` (404) for an
    ///   empty directory without `create`; `badParameter` (495) for another compression than the store has;
    ///   `unauthorized` (401) for no key or another one than the store's; `corrupt` (591), `unsupportedFormat` (591),
    ///   `readOnly` (403), `fileSystem` (498). With `toleratesDamage` the cause of `corrupt` may be a `DamageList`.
    func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine
}

extension StorageEngineFactory {
    public func authorize(directory: String, options: StorageOptions) throws(StorageError) {}

    public func pendingLog(directory: String) throws(StorageError) -> PendingLog { .none }
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
    /// Check the whole file before it is used, where the engine's library trusts its file and damage could end the
    /// process. Costs reading all of it; engines whose library checks as it reads ignore this.
    public var verifyOnOpen = false
    /// Open what damage would otherwise refuse, as far as it can be read, for `verify` and for rescue. Refuses every
    /// write, and does not do what `verifyOnOpen` says. Engines whose library opens such files anyway ignore this.
    public var toleratesDamage = false
    /// How a new store keeps bodies; for an existing one, what it must have been made with. Nil: as they are in a new
    /// store, and whatever it was made with for an existing one.
    public var compression: Compression?
    /// The store's key: what a new one is encrypted with, what an existing one must have. Nil: it is not encrypted.
    public var key: StorageKey?
    /// Build a store, into which the content of another one is brought: only in an engine that was opened so are there
    /// `RevisionWriter.hide` and `restore`, and inserts at any unused sequence. With `create` the store is made, in an
    /// empty directory: `badParameter` (495) where one is there, before anything is changed. Without, the building of
    /// the one that is there goes on: `notFound` (404) where there is none. The store is nobody's yet: what is left of
    /// one that was not finished is for who was building it to go on with, or to remove.
    public var isBeingBuilt = false

    public init(
        create: Bool = false,
        readOnly: Bool = false,
        immutable: Bool = false,
        durability: Durability = .full,
        compression: Compression? = nil,
        key: StorageKey? = nil,
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
        self.key = key
    }
}

extension StorageOptions {
    /// For factories that have found a store in the directory: sees to it that none is built where another was to be
    /// made.
    ///
    /// - Throws: `badParameter` (495).
    public func requireNoneToBeBuilt() throws(StorageError) {
        if isBeingBuilt && create {
            throw StorageError(
                .badParameter,
                "A store is there already. Build the new one in an empty directory, or go on with this one without "
                    + "`create`."
            )
        }
    }
}
