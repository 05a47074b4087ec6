internal import SetteeStorageFiles
package import StorageProtocol

/// Opens database folders: at most one `Database` per folder in a process, whatever the path.
package struct DatabaseOpener: Sendable {
    let engines: [any StorageEngineFactory]
    let modules: [DatabaseModule]
    let defaultType: StorageType
    /// Records what the databases do that it opens.
    let recorder: TraceRecorder?

    package init(
        engines: [any StorageEngineFactory],
        modules: [DatabaseModule] = [],
        defaultType: StorageType,
        recorder: TraceRecorder? = nil
    ) {
        self.engines = engines
        self.modules = modules
        self.defaultType = defaultType
        self.recorder = recorder
    }

    func isInMemory(_ type: StorageType) -> Bool {
        engines.first { $0.storageType == type }?.capabilities.location == .memory
    }

    package func factory(for type: StorageType) throws(StorageError) -> any StorageEngineFactory {
        guard let factory = engines.first(where: { $0.storageType == type }) else {
            let known = engines.map(\.storageType.name).joined(separator: ", ")
            throw StorageError(
                .invalidStorageType,
                "This program has no engine for the storage type '\(type)'; it has: \(known)."
                    + (type == .rocksdb ? " Packages that want it depend on Settee with the trait RocksDB." : "")
            )
        }
        return factory
    }

    /// Opens the database at `path`, or creates it.
    package func open(path: String, name: String, options: DatabaseOptions) throws(StorageError) -> Database {
        if let threshold = options.compactionThreshold, !(threshold > 0 && threshold <= 1) {
            throw StorageError(
                .badParameter,
                "A compaction threshold is a share above 0 and up to 1, or nil for no compaction by itself."
            )
        }
        guard !options.decrypt || options.storageType != nil else {
            throw StorageError(
                .badRequest,
                "To decrypt a database, say which storage type it is to have: `sqlite`, for instance."
            )
        }
        let opening = DatabaseOpening(opener: self, path: path, name: name, options: options)
        let (database, isNew) = try Log.holdingBack { () throws(StorageError) in try find(opening) }
        if isNew { opening.start(database) }
        return database
    }

    /// - Returns: whether it was opened by this call.
    private func find(_ opening: DatabaseOpening) throws(StorageError) -> (Database, isNew: Bool) {
        while true {
            switch try OpenDatabases.occupy(opening.path) {
            case .open(let database):
                // A moved folder keeps its number, and a new one may have got that of a removed one.
                guard database.isInPlace else {
                    try database.close(because: "has lost its folder")
                    continue
                }
                try database.setup.judge(opening.options, engines: engines, present: database.compression)
                database.store.join(modules)
                return (try database.handle(for: opening.options), false)
            case .occupied(let occupancy):
                defer { occupancy.release() }
                if let database = try opening.run(occupancy) { return (database, true) }
            }
        }
    }

    /// Deletes the database at `path`, after closing that of this process. This may take a while, during which other
    /// databases can be opened.
    package static func delete(path: String) throws(StorageError) {
        try Log.holdingBack { () throws(StorageError) in
            while true {
                switch try OpenDatabases.occupy(path) {
                case .open(let database):
                    // After a refusal the database of this process stays open.
                    try database.folder?.requireAlone()
                    try database.close(because: "was deleted")
                case .occupied(let occupancy):
                    defer { occupancy.release() }
                    try DatabaseFolder.destroy(at: path)
                    Log.log(.info, .database, "the database at '\(path)' was deleted")
                    return
                }
            }
        }
    }
}
