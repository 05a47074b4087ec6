public import Foundation
internal import SetteeStorageFiles
public import StorageProtocol
internal import Synchronization

/// A directory of databases, each opened by the engine that made it.
///
/// Several managers may use one directory, in one process or in several. A database that two managers of one process
/// open is one `Database`. The umbrella module `Settee` adds `Manager(directory:)` and `Manager.shared`, which use the
/// built-in engines.
public final class Manager: Sendable {
    /// Options for all databases of a manager. The storage type applies to new databases only.
    public struct Options: Sendable {
        /// The storage type of a new database if the call names none. Nil: the environment variable
        /// `SETTEE_STORAGE_TYPE`, or else `.sqlite`.
        public var storageType: StorageType?
        /// Opens every database read-only, and creates none.
        public var readOnly: Bool
        /// Where to record what the databases do, to be replayed on other engines: kinds of operations, sizes, times
        /// and hashed IDs, no content. A new file, made with the manager. Nil: nothing is recorded.
        /// docs/reference/traces.md says what a trace reveals.
        public var traceFile: URL?

        public init(storageType: StorageType? = nil, readOnly: Bool = false, traceFile: URL? = nil) {
            self.storageType = storageType
            self.readOnly = readOnly
            self.traceFile = traceFile
        }
    }

    /// The directory of the databases, a file URL.
    public var directory: URL { URL(filePath: path, directoryHint: .isDirectory) }
    package let path: String
    /// The options that the manager was made with.
    public let options: Options
    package let engines: [any StorageEngineFactory]
    package let modules: [DatabaseModule]
    private let recorder: TraceRecorder?
    /// Distinguishes this manager from all others of the process, including those that no longer exist.
    private let number = Manager.lastNumber.add(1, ordering: .relaxed).newValue
    private static let lastNumber = Atomic<UInt64>(0)
    /// Databases in memory. They live as long as the manager, or until they are closed or deleted.
    private let inMemory = Locked<[String: Database]>([:])
    /// The databases that this manager opened, to be closed with it.
    private let opened = Locked<[String: DatabaseReference]>([:])

    /// Makes a manager of the databases in `directory` that uses only the given engines. Creates the directory if it is
    /// missing.
    ///
    /// - Parameter modules: the modules that take part in the work of its databases, `[.views]` for instance.
    /// - Throws: `fileSystem` (498) or `readOnly` (403) if the directory cannot be created, `badParameter` (495) if it
    ///   is not a file URL; for `traceFile` the same, and `exists` (412) if something is there already.
    public convenience init(
        directory: URL,
        options: Options = Options(),
        engines: [any StorageEngineFactory],
        modules: [DatabaseModule] = []
    ) throws(StorageError) {
        try self.init(directory: directory, options: options, engines: engines, modules: modules) {
            () throws(StorageError) in
            try options.traceFile.map { (url) throws(StorageError) in try TraceRecorder(creating: url) }
        }
    }

    /// - Parameter makeRecorder: called once the directory is there.
    package init(
        directory: URL,
        options: Options,
        engines: [any StorageEngineFactory],
        modules: [DatabaseModule],
        makeRecorder: () throws(StorageError) -> TraceRecorder?
    ) throws(StorageError) {
        guard directory.isFileURL else {
            throw StorageError(.badParameter, "A manager's directory must be a file URL.")
        }
        path = directory.path
        self.options = options
        self.engines = engines
        self.modules = modules
        if !options.readOnly {
            try FolderInfo.make(path)
            // A manager is usable even if old leftovers cannot be removed now.
            let swept = (try? StagingSweep.sweep(path)) ?? 0
            if swept > 0 { Log.log(.info, .storage, "what killed processes left was removed: \(swept)") }
        }
        recorder = try makeRecorder()
    }

    /// Whether a database may have this name: 1 to 239 of the characters `a`...`z`, `0`...`9` and `_$()+-/`, beginning
    /// with a letter.
    public static func isValidDatabaseName(_ name: String) -> Bool { DatabaseName.isValid(name) }

    /// Opens a database, or creates it if it does not exist (unless `options.create` is false).
    ///
    /// Opening a database twice with the same options returns the same `Database`. If it is already open and this call
    /// asks for it to be read-only, or for another `busyTimeout` or `mappingThreads`, the call returns another
    /// `Database` on the same open files. Once a call asks for `Durability.full`, it holds for all of them; the
    /// compaction threshold is that of the first opening. An existing database is opened by the engine that made it. If
    /// `options.storageType` names another, it is converted first, or refused, as `options.onMismatch` says.
    ///
    /// - Throws: `badID` (494) for a name that is not allowed, `notFound` (404) without `create`, `invalidStorageType`
    ///   (497) for a type that this manager has no engine for, or another than the database's with
    ///   `MismatchAction.fail`, `notImplemented` (501) for a compression that the type does not support, `badParameter`
    ///   (495) for another compression than the database's, `inUse` (423) if another process holds it, or this one has
    ///   it open read-only and the call asks to write, `readOnly` (403), `fileSystem` (498), `full` (507), `corrupt` or
    ///   `unsupportedFormat` (591).
    public func database(
        named name: String,
        options: DatabaseOptions = DatabaseOptions()
    ) throws(StorageError) -> Database {
        let folderName = try DatabaseName.folderName(name)
        if let database = inMemory.withLock({ $0[name] }), database.isOpen {
            try database.setup.judge(options, engines: engines, present: database.compression)
            return try database.handle(for: options)
        }
        var options = options
        if self.options.readOnly {
            options.readOnly = true
            options.create = false
        }
        let path = self.path + "/" + folderName
        // The defaults apply to new databases only: an invalid one must not affect an existing database.
        let isNew = options.create ? try FolderInfo.identity(of: path) == nil : false
        let defaultType = isNew && options.storageType == nil ? try defaultStorageType() : .sqlite
        let newType = options.storageType ?? defaultType
        let opener = DatabaseOpener(engines: engines, modules: modules, defaultType: newType, recorder: recorder)
        if isNew, opener.isInMemory(newType) {
            return try openInMemory(name, type: newType, options: options)
        }
        let database = try opener.open(path: path, name: name, options: options)
        opened.withLock { $0[name] = database.reference }
        return database
    }

    /// Returns the database with a name if it exists, else nil. A name that is not allowed gives nil, too.
    ///
    /// - Throws: as `database(named:options:)`, but neither `badID` nor `notFound`.
    public func existingDatabase(
        named name: String,
        options: DatabaseOptions = DatabaseOptions()
    ) throws(StorageError) -> Database? {
        var options = options
        options.create = false
        guard Manager.isValidDatabaseName(name) else { return nil }
        do throws(StorageError) {
            return try database(named: name, options: options)
        } catch  where error.code == .notFound {
            return nil
        }
    }

    /// The names of all databases, in the order of their bytes: those in memory, and those of folders in the directory.
    ///
    /// - Throws: `fileSystem` (498) if the directory cannot be read.
    public var allDatabaseNames: [String] {
        get throws(StorageError) {
            var names = Set(inMemory.withLock { Array($0.keys) })
            if try FolderInfo.identity(of: path) != nil {
                for entry in try FolderInfo.names(in: path) {
                    if let name = DatabaseName.name(ofFolder: entry) { names.insert(name) }
                }
            }
            return names.sorted { compareBytes(Array($0.utf8), Array($1.utf8)) < 0 }
        }
    }

    /// Deletes a database with everything in it. A `Database` of this process that is open on it throws `notOpen` (503)
    /// from then on.
    ///
    /// - Throws: `notFound` (404) if there is none, `inUse` (423) if another process has it open (the `Database` of
    ///   this process then stays open), `readOnly` (403) if the manager is read-only or the directory cannot be
    ///   written, `badID` (494), `callback` (593) inside a transaction on it, `unsupportedFormat` (591) for a folder
    ///   that is not a database of Settee.
    public func deleteDatabase(named name: String) throws(StorageError) {
        guard !options.readOnly else {
            throw StorageError(
                .readOnly,
                "The manager is read-only. Use one without the readOnly option to delete databases."
            )
        }
        let folderName = try DatabaseName.folderName(name)
        if let database = inMemory.withLock({ $0[name] }), database.isOpen {
            try database.close(because: "was deleted")
            return
        }
        try DatabaseOpener.delete(path: path + "/" + folderName)
    }

    /// Closes every database that this manager opened and that is still in use, even if other code holds it. Databases
    /// in memory are lost.
    ///
    /// - Throws: as `Database.close`.
    public func close() throws(StorageError) {
        let databases = opened.withLock { $0.values.compactMap(\.database) } + inMemory.withLock { Array($0.values) }
        for database in databases { try database.close() }
    }

    package func defaultStorageType() throws(StorageError) -> StorageType {
        if let type = options.storageType { return type }
        if let name = ProcessInfo.processInfo.environment["SETTEE_STORAGE_TYPE"], !name.isEmpty {
            return try StorageType(name)
        }
        return .sqlite
    }

    private func openInMemory(
        _ name: String,
        type: StorageType,
        options: DatabaseOptions
    ) throws(StorageError) -> Database {
        guard options.create, !options.readOnly else {
            throw StorageError(.notFound, "There is no database of this name.")
        }
        let place = Occupancy.Place.memory(name: Array(name.utf8), manager: number)
        let (database, isNew) = try Log.holdingBack { () throws(StorageError) -> (Database, Bool) in
            switch try OpenDatabases.occupy(place) {
            case .open(let database):
                // Another thread opened it first.
                try database.setup.judge(options, engines: engines, present: database.compression)
                return (try database.handle(for: options), false)
            case .occupied(let occupancy):
                defer { occupancy.release() }
                return (try makeInMemory(name, type, options, occupancy, place), true)
            }
        }
        if isNew {
            database.expiry.start(database, polls: false)
            database.store.reclaimer.start(database)
        }
        return database
    }

    private func makeInMemory(
        _ name: String,
        _ type: StorageType,
        _ options: DatabaseOptions,
        _ occupancy: Occupancy,
        _ place: Occupancy.Place
    ) throws(StorageError) -> Database {
        let began = TraceRecorder.now
        let setup = StorageSetup(
            try DatabaseOpener(engines: engines, defaultType: type).factory(for: type),
            options
        )
        try setup.judge(options, engines: engines)
        let engine = try setup.createInMemory()
        do throws(StorageError) {
            try ThreadLimit.requireSome()
            try OpenFileLimit.requireSome()
            try engine.write { (transaction) throws(StorageError) in try DatabaseIdentity.make(in: transaction) }
        } catch {
            engine.close()
            throw error
        }
        let closed = Latch()
        let database = Database(
            name: name,
            folder: nil,
            setup: setup,
            engine: engine,
            engines: engines,
            modules: modules,
            isReadOnly: false,
            durability: options.durability,
            busyTimeout: options.busyTimeout,
            mappingThreads: options.mappingThreads,
            recorder: recorder,
            closed: closed,
            whenClosed: { [weak self] in
                self?.forgetInMemory(name)
                OpenDatabases.remove(place, closedBy: closed)
            }
        )
        database.trace?.opened(database, began: began)
        inMemory.withLock { $0[name] = database }
        occupancy.settle(as: database)
        Log.log(.info, .database, "\(name) was made in memory (\(type))")
        return database
    }

    /// Whether a database in memory with this name is open.
    package func hasInMemory(_ name: String) -> Bool { inMemory.withLock { $0[name]?.isOpen ?? false } }

    private func forgetInMemory(_ name: String) {
        inMemory.withLock { databases in
            // A new database may have this name by now.
            if databases[name]?.isOpen == false { databases[name] = nil }
        }
    }
}
