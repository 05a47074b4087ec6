internal import SetteeEncryption
internal import SetteeStorageFiles
internal import StorageProtocol

/// The opening of one folder by the thread that has the right to it.
struct DatabaseOpening {
    let opener: DatabaseOpener
    let path: String
    let name: String
    /// The options with which the database is opened. A database that was decrypted has no key any more.
    let options: DatabaseOptions
    /// The options of the caller.
    private let wishes: DatabaseOptions
    /// What the key opens, for this opening.
    private let derivations: SlotDerivations?

    /// An opening gives up if the key changes this often during it.
    private static let attempts = 10

    init(opener: DatabaseOpener, path: String, name: String, options: DatabaseOptions) {
        self.opener = opener
        self.path = path
        self.name = name
        wishes = options
        var options = options
        if options.decrypt { options.key = nil }
        self.options = options
        derivations = options.key.map { SlotDerivations(key: $0) }
    }

    /// Opens the database, or creates it.
    ///
    /// - Returns: nil if something else is at the path by now: the caller must begin again.
    func run(_ occupancy: Occupancy) throws(StorageError) -> Database? {
        if occupancy.folder == nil {
            guard options.create, !options.readOnly else {
                throw StorageError(.notFound, "There is no database at '\(path)'.")
            }
            do throws(StorageError) {
                try create(occupancy)
            } catch {
                // Another process created it first.
                guard error.code == .exists, try FolderInfo.identity(of: path) != nil else { throw error }
                return nil
            }
        }
        guard let identity = occupancy.folder else { return nil }
        if let wanted = wantedType() { try convert(identity, to: wanted) }
        return try open(identity) { occupancy.settle(as: $0) }
    }

    // MARK: - Converting

    /// The type to which the database is to be converted before it is opened; nil: it is opened as it is, or refused.
    private func wantedType() -> StorageType? {
        guard let type = wishes.storageType, wishes.onMismatch == .upgrade, !wishes.refusesWrites else { return nil }
        // The manifests may be outdated by now. The conversion looks again.
        let copies = DatabaseFolder.manifests(at: path).map(\.manifest)
        let encrypted = copies.filter(\.isEncrypted)
        let wanted = StorageSetup.type(type, withKey: wishes.key != nil && !wishes.decrypt, opener.engines)
        // Nothing is authentic yet. A conversion of what is of that type already does nothing.
        let isOther = (encrypted.isEmpty ? Array(copies.prefix(1)) : encrypted).contains {
            $0.storageType != wanted
        }
        return isOther ? wanted : nil
    }

    private func convert(_ identity: FileIdentity, to type: StorageType) throws(StorageError) {
        let isEncrypted = DatabaseFolder.manifests(at: path).contains(where: \.manifest.isEncrypted)
        var asItIs = wishes
        asItIs.storageType = nil
        asItIs.decrypt = false
        asItIs.compression = nil
        asItIs.durability = .full
        if !isEncrypted { asItIs.key = nil }
        let opening = DatabaseOpening(opener: opener, path: path, name: name, options: asItIs)
        // The database is not given to any other caller.
        guard let database = try opening.open(identity, settle: { _ in }) else { return }
        do throws(StorageError) {
            // The same key opens it afterwards.
            let isNewKey = !isEncrypted && !wishes.decrypt
            try database.convert(
                to: type,
                key: isNewKey ? wishes.key : nil,
                keyDerivation: wishes.keyDerivation,
                compression: wishes.compression,
                decrypt: wishes.decrypt
            )
        } catch {
            try? database.close()
            throw error
        }
        try database.close()
    }

    // MARK: - Opening

    private func create(_ occupancy: Occupancy) throws(StorageError) {
        let type = StorageSetup.type(
            options.storageType ?? opener.defaultType,
            withKey: options.key != nil,
            opener.engines
        )
        let factory = try opener.factory(for: type)
        guard factory.capabilities.location != .memory else {
            throw StorageError(.invalidStorageType, "A database of type '\(type)' cannot be made at a path.")
        }
        try StorageSetup(factory, options).judge(options, engines: opener.engines)
        guard options.key != nil || !factory.capabilities.requiresKey else {
            throw StorageError(.badRequest, "A database of type '\(type)' is encrypted. Give a key for it.")
        }
        var members = ManifestMembers(storageType: type)
        let keys = try makeKeys(factory, &members)
        let setup = StorageSetup(factory, options, keys: keys)
        try DatabaseFolder.create(
            at: path,
            members: members,
            seal: try keys?.seal(of: members.databaseUUID),
            willAppear: { occupancy.extend(to: $0) },
            prepare: { (data) throws(StorageError) in
                let engine = try setup.create(in: data)
                defer { engine.close() }
                try engine.write { (transaction) throws(StorageError) in try DatabaseIdentity.make(in: transaction) }
                try engine.checkpoint()
            }
        )
        Log.log(.info, .database, "a database was made at '\(path)' (\(type))")
    }

    /// The keys of a new database, if it is to be encrypted.
    private func makeKeys(
        _ factory: any StorageEngineFactory,
        _ members: inout ManifestMembers
    ) throws(StorageError) -> GenerationKeys? {
        guard let key = options.key else { return nil }
        guard let cipher = factory.capabilities.cipher else {
            throw StorageError(.unexpected, "The engine of type '\(factory.storageType)' does not say how it encrypts.")
        }
        let new = try NewKeys(for: key, options.keyDerivation, cipher: cipher)
        try members.encrypt(with: new.generation, slots: [new.slot.text])
        // It is opened at once.
        derivations?.note(new.generation.dataKey, in: new.slot)
        return new.generation
    }

    /// - Parameter settle: called with the database, from when on other callers may get it.
    private func open(
        _ identity: FileIdentity,
        settle: (Database) -> Void
    ) throws(StorageError) -> Database? {
        for _ in 0..<DatabaseOpening.attempts {
            let reading = FolderReading(
                opener: opener,
                options: options,
                identity: identity,
                derivations: derivations
            )
            try reading.deriveKeys(at: path)
            do throws(StorageError) {
                return try open(identity, reading, settle)
            } catch {
                if error.code == .inUse, let beside = besideWriter() {
                    return try beside.open(identity, settle: settle)
                }
                guard reading.lacksKeys else { throw error }
            }
        }
        throw StorageError(.inUse, "The key of '\(path)' is being changed again and again. Open it later.")
    }

    /// Whether the database may be read while another process has it to itself. Nothing in the manifests is authentic.
    private var mayBeBesideWriter: Bool {
        options.besideWriter
            && DatabaseFolder.manifests(at: path).allSatisfy { copy in
                (try? opener.factory(for: copy.manifest.storageType))?.capabilities.canReadBesideWriter == true
            }
    }

    /// The same opening, for reading alone; nil if it is one already, or must not be one.
    private func besideWriter() -> DatabaseOpening? {
        guard !options.readOnly, mayBeBesideWriter else { return nil }
        var options = wishes
        options.readOnly = true
        return DatabaseOpening(opener: opener, path: path, name: name, options: options)
    }

    private func open(
        _ identity: FileIdentity,
        _ reading: FolderReading,
        _ settle: (Database) -> Void
    ) throws(StorageError) -> Database? {
        do throws(StorageError) {
            let isBeside = mayBeBesideWriter
            let folder = try DatabaseFolder.open(
                at: path,
                readOnly: options.readOnly,
                writerPatience: isBeside ? .zero : min(options.busyTimeout, DatabaseFolder.defaultTimeout),
                besideWriter: isBeside,
                choose: { (found) throws(StorageError) in try reading.choose(found) },
                authorize: { (type, data) throws(StorageError) in try reading.authorize(type, data) },
                pendingLog: { (data) throws(StorageError) in try reading.pendingLog(data) }
            )
            do throws(StorageError) {
                return try open(folder, reading, settle)
            } catch {
                // An engine that reads beside writers may need room for what it shares with them. Without writers it
                // needs none.
                guard error.code == .full, options.readOnly, folder.access == .readOnlyShared,
                    let alone = try DatabaseFolder.openWithoutWriters(
                        at: path,
                        choose: { (found) throws(StorageError) in try reading.choose(found) },
                        authorize: { (type, data) throws(StorageError) in try reading.authorize(type, data) },
                        pendingLog: { (data) throws(StorageError) in try reading.pendingLog(data) }
                    )
                else { throw error }
                return try open(alone, reading, settle)
            }
        } catch {
            // The path leads to another folder by now.
            if reading.hasMoved { return nil }
            throw error
        }
    }

    /// Closes the folder if that fails.
    private func open(
        _ folder: DatabaseFolder,
        _ reading: FolderReading,
        _ settle: (Database) -> Void
    ) throws(StorageError) -> Database {
        let began = TraceRecorder.now
        do throws(StorageError) {
            let setup = try reading.setup(for: folder.storageType)
            let engine = try setup.open(folder.dataDirectory, folder.access)
            do throws(StorageError) {
                if !options.refusesWrites {
                    // After a commit a half-made conversion cannot be resumed.
                    folder.dropEarlierConversion { () throws(StorageError) in try engine.counters().changeCounter }
                }
                try engine.compression.requireSame(as: options.compression)
                try ThreadLimit.requireSome()
                try OpenFileLimit.requireSome()
            } catch {
                engine.close()
                throw error
            }
            let place = Occupancy.Place.folder(.folder(folder.identity))
            let closed = Latch()
            let database = Database(
                name: name,
                folder: folder,
                setup: setup,
                engine: engine,
                engines: opener.engines,
                modules: opener.modules,
                isReadOnly: options.refusesWrites,
                durability: options.durability,
                busyTimeout: options.busyTimeout,
                mappingThreads: options.mappingThreads,
                recorder: opener.recorder,
                closed: closed,
                whenClosed: { OpenDatabases.remove(place, closedBy: closed) }
            )
            database.trace?.opened(database, began: began)
            settle(database)
            Log.log(folder.manifestProblemsAtOpening + engine.openingProblems, of: name)
            for warning in [folder.ownerWarning, folder.privacyWarning] {
                if let warning { Log.log(.warning, .storage, "\(name): \(warning)") }
            }
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

    /// Begins the background work of an open database. Others may already be using it.
    func start(_ database: Database) {
        guard !database.isReadOnly else { return }
        let capabilities = database.setup.capabilities
        database.expiry.start(database, polls: capabilities.sharing == .multiProcess)
        database.store.reclaimer.start(database)
        database.compactor.start(database, threshold: options.compactionThreshold)
    }
}

extension DatabaseOptions {
    fileprivate var refusesWrites: Bool { readOnly || toleratesDamage }
}
