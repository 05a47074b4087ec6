/// Opens the stores of one storage type. A `Manager` takes one for each engine that it may use.
public protocol StorageEngineFactory: Sendable {
    /// The type of the stores, as written in manifests.
    var storageType: StorageType { get }
    /// What the stores can do. There is no default, so that a wrapper of a factory passes on the value of that factory.
    var capabilities: StorageCapabilities { get }

    /// Checks whether the store in `directory` can be opened with `options`: its format, key and compression. Changes
    /// neither the bytes nor the times of any file. Called before `open`, possibly while other processes write, and
    /// also if this process has the store open. The default implementation does nothing and leaves the checks to
    /// `open`.
    ///
    /// - Throws: The error that `open` would throw, if that is certain. Nothing in doubt.
    func authorize(directory: String, options: StorageOptions) throws(StorageError)

    /// Returns what the store in `directory` has in a log. Called when the store is to be read and its files cannot be
    /// written. Changes nothing. The default implementation returns `none`.
    func pendingLog(directory: String) throws(StorageError) -> PendingLog

    /// Opens the store in `directory`, which exists. If it is empty and `options.create` is set, creates a new store,
    /// which is complete and synced when this returns. Never touches files that do not belong to such a store. A
    /// factory of stores in memory makes a new one at each call, whatever the `directory`.
    ///
    /// - Throws: `notImplemented` (501) as described at `requireSupport`, before anything is created; `notFound` (404)
    ///   for an empty directory without `create`; `badParameter` (495) for a compression other than the store's;
    ///   `unauthorized` (401) for a missing or wrong key; `corrupt` (591), `unsupportedFormat` (591), `readOnly` (403),
    ///   `fileSystem` (498). With `toleratesDamage` the cause of `corrupt` may be a `DamageList`.
    func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine
}

extension StorageEngineFactory {
    public func authorize(directory: String, options: StorageOptions) throws(StorageError) {}

    public func pendingLog(directory: String) throws(StorageError) -> PendingLog { .none }
}

/// How to open a store.
public struct StorageOptions: Sendable {
    /// Create a new store if the directory is empty.
    public var create = false
    /// Refuse every write.
    public var readOnly = false
    /// The medium itself is read-only, and no process can change the files: no locks, no shared memory. Implies
    /// `readOnly`.
    public var immutable = false
    /// Another process has the store to itself and goes on: read the state of this moment, and write nothing. Implies
    /// `readOnly`. Only for engines with `StorageCapabilities.canReadBesideWriter`.
    public var besideWriter = false
    /// What a commit survives.
    public var durability = Durability.full
    /// Check the whole file before it is used. For engines whose library trusts its file, so that damage could end the
    /// process. Reads the whole file; engines whose library checks as it reads ignore this.
    public var verifyOnOpen = false
    /// Open a store that would otherwise be refused because of damage, as far as it can be read, for `verify` and for
    /// rescue. Refuses every write and ignores `verifyOnOpen`. Engines whose library opens such files anyway ignore
    /// this.
    public var toleratesDamage = false
    /// How a new store keeps bodies, or what an existing one must have been created with. Nil: the default for a new
    /// store, and anything for an existing one.
    public var compression: Compression?
    /// The store's key: encrypts a new store, and must match that of an existing one. Nil: the store is not encrypted.
    public var key: StorageKey?
    /// Build a store, to bring in the content of another one. `RevisionWriter.hide` and `restore`, and inserts at any
    /// unused sequence, are only available in an engine that was opened with this option. With `create`, the store is
    /// created in an empty directory; if there already is a store, `open` throws `badParameter` (495) before anything
    /// is changed. Without `create`, the building of the existing store continues; if there is none, `open` throws
    /// `notFound` (404). The store is not in use by anything else yet. If building was interrupted, the code that was
    /// building it continues or removes what is left.
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
    /// For factories that have found a store in the directory: refuses to build a new one there.
    ///
    /// - Throws: `badParameter` (495) if a store was to be created and built.
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
