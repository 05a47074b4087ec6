internal import SetteeStorageFiles
package import StorageProtocol

/// Opens database folders: at most one `Database` per folder in a process, whoever asks.
package struct DatabaseOpener: Sendable {
    let engines: [any StorageEngineFactory]
    let defaultType: StorageType

    /// Opening and deleting happen one at a time: two threads must not open one folder at once.
    private static let opening = Locked<Void>(())

    package init(engines: [any StorageEngineFactory], defaultType: StorageType) {
        self.engines = engines
        self.defaultType = defaultType
    }

    func isInMemory(_ type: StorageType) -> Bool {
        engines.first { $0.storageType == type }?.capabilities.location == .memory
    }

    func factory(for type: StorageType) throws(StorageError) -> any StorageEngineFactory {
        guard let factory = engines.first(where: { $0.storageType == type }) else {
            let known = engines.map(\.storageType.name).joined(separator: ", ")
            throw StorageError(
                .invalidStorageType,
                "This program has no engine for the storage type '\(type)'; it has: \(known)."
            )
        }
        return factory
    }

    /// Opens the database at `path`, or makes it.
    package func open(path: String, name: String, options: DatabaseOptions) throws(StorageError) -> Database {
        if let threshold = options.compactionThreshold, !(threshold > 0 && threshold <= 1) {
            throw StorageError(
                .badParameter,
                "A compaction threshold is a share above 0 and up to 1, or nil for no compaction by itself."
            )
        }
        while true {
            switch try OpenDatabases.registration(path) {
            case .open(let database): return try reuse(database, options)
            case .closing(let database, let closed): try OpenDatabases.wait(for: database, closed)
            case .none: if let database = try openUnregistered(path, name, options) { return database }
            }
        }
    }

    /// Nil where another thread was quicker.
    private func openUnregistered(
        _ path: String,
        _ name: String,
        _ options: DatabaseOptions
    ) throws(StorageError) -> Database? {
        try DatabaseOpener.exclusively { () throws(StorageError) in
            guard case .none = try OpenDatabases.registration(path) else { return nil }
            if try FolderInfo.identity(of: path) == nil {
                guard options.create, !options.readOnly else {
                    throw StorageError(.notFound, "There is no database at '\(path)'.")
                }
                try create(path, options)
            }
            return try openExisting(path, name, options)
        }
    }

    private func reuse(_ database: Database, _ options: DatabaseOptions) throws(StorageError) -> Database {
        try database.setup.judge(options, present: database.compression)
        return try database.handle(for: options)
    }

    private func create(_ path: String, _ options: DatabaseOptions) throws(StorageError) {
        let type = options.storageType ?? defaultType
        let factory = try factory(for: type)
        guard factory.capabilities.location != .memory else {
            throw StorageError(.invalidStorageType, "A database of type '\(type)' cannot be made at a path.")
        }
        let setup = StorageSetup(factory, options)
        try setup.judge(options)
        try DatabaseFolder.create(at: path, storageType: type) { (data) throws(StorageError) in
            let engine = try setup.create(in: data)
            defer { engine.close() }
            try engine.write { (transaction) throws(StorageError) in try DatabaseIdentity.make(in: transaction) }
            try engine.checkpoint()
        }
        Log.log(.info, .database, "a database was made at '\(path)' (\(type))")
    }

    private func openExisting(
        _ path: String,
        _ name: String,
        _ options: DatabaseOptions
    ) throws(StorageError) -> Database {
        let folder = try DatabaseFolder.open(at: path, readOnly: options.readOnly)
        do throws(StorageError) {
            return try openExisting(folder, name, options)
        } catch {
            // An engine that reads beside writers may need room for what it shares with them. Where nobody writes it needs none.
            guard error.code == .full, options.readOnly, folder.access == .readOnlyShared,
                let alone = try DatabaseFolder.openWithoutWriters(at: path)
            else { throw error }
            return try openExisting(alone, name, options)
        }
    }

    /// Closes the folder where that fails.
    private func openExisting(
        _ folder: DatabaseFolder,
        _ name: String,
        _ options: DatabaseOptions
    ) throws(StorageError) -> Database {
        do throws(StorageError) {
            let setup = StorageSetup(try factory(for: folder.storageType), options)
            try setup.judge(options)
            let engine = try setup.open(folder.dataDirectory, folder.access)
            do throws(StorageError) {
                try OpenFileLimit.requireSome()
            } catch {
                engine.close()
                throw error
            }
            let identity = folder.identity
            let closed = Turnstile()
            let database = Database(
                name: name,
                folder: folder,
                setup: setup,
                engine: engine,
                isReadOnly: options.refusesWrites,
                durability: options.durability,
                busyTimeout: options.busyTimeout,
                mappingThreads: options.mappingThreads,
                closed: closed,
                whenClosed: { OpenDatabases.remove(identity, closedBy: closed) }
            )
            OpenDatabases.add(database, identity)
            if !options.refusesWrites {
                database.expiry.start(database, polls: setup.capabilities.sharing == .multiProcess)
                database.store.reclaimer.start(database)
                database.compactor.start(
                    database,
                    threshold: setup.capabilities.compaction == .inSteps ? options.compactionThreshold : nil
                )
            }
            for problem in engine.openingProblems { Log.log(.error, .storage, "\(name): \(problem.message)") }
            Log.log(
                .info,
                .database,
                "\(name) is open at '\(folder.path)' (\(folder.storageType)\(options.readOnly ? ", read-only" : ""))"
            )
            return database
        } catch {
            folder.close()
            throw error
        }
    }

    /// Deletes the database at `path`, closing this process's own first. That may take a while, and others may open theirs
    /// meanwhile.
    package static func delete(path: String) throws(StorageError) {
        while true {
            switch try OpenDatabases.registration(path) {
            case .open(let database):
                // A refusal leaves this process's own open.
                try database.folder?.requireAlone()
                try database.close(because: "was deleted")
            case .closing(let database, let closed): try OpenDatabases.wait(for: database, closed)
            case .none: if try destroyUnregistered(path) { return }
            }
        }
    }

    /// False where another thread has opened it meanwhile.
    private static func destroyUnregistered(_ path: String) throws(StorageError) -> Bool {
        try exclusively { () throws(StorageError) in
            guard case .none = try OpenDatabases.registration(path) else { return false }
            try DatabaseFolder.destroy(at: path)
            Log.log(.info, .database, "the database at '\(path)' was deleted")
            return true
        }
    }

    private static func exclusively<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
        var outcome: Result<R, StorageError>?
        opening.withLock { _ in
            do throws(StorageError) { outcome = .success(try body()) } catch { outcome = .failure(error) }
        }
        guard let outcome else { throw StorageError(.unexpected, "The database was not opened.") }
        return try outcome.get()
    }
}

extension DatabaseOptions {
    fileprivate var refusesWrites: Bool { readOnly || toleratesDamage }
}
