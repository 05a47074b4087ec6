internal import StorageProtocol

/// What a database should be converted to.
struct ConversionRequest {
    let type: StorageType
    let key: StorageKey?
    var derivation = KeyDerivation.standard
    let compression: Compression?
    let decrypt: Bool

    /// Checks the request and derives the keys. Must not be called under a lock.
    ///
    /// - Returns: Nil if the database already is as requested.
    /// - Throws: As `Database.convert` before it begins.
    func target(for database: Database) throws(StorageError) -> ConversionTarget? {
        let present = database.setup
        let factory = try factory(for: present, among: database.store.engines)
        try requireFiles(of: database, factory)
        try factory.requireSupport(
            key: key ?? present.keys?.pageKey.unless(decrypt),
            compression: compression,
            durability: database.durability
        )
        let isSame =
            factory.storageType == present.factory.storageType && key == nil
            && (compression == nil || compression == database.compression)
        if isSame { return nil }
        let kept = factory.capabilities.compressions.contains(database.compression) ? database.compression : nil
        let setup = present.with(factory, compression: compression ?? kept)
        let left = EarlierConversion(of: database)
        if let key {
            return try ConversionTarget(withNew: key, derivation, for: present, as: setup, after: left)
        }
        if decrypt { return ConversionTarget(decrypting: present, as: setup, after: left) }
        return try ConversionTarget(keepingKeysOf: present, as: setup, after: left)
    }

    /// Returns the engine, after checking that nothing is decrypted by accident.
    func factory(
        for present: StorageSetup,
        among engines: [any StorageEngineFactory]
    ) throws(StorageError) -> any StorageEngineFactory {
        guard key == nil || !decrypt else {
            throw StorageError(
                .badRequest,
                "A database that is decrypted has no key. Give none, or do not say `decrypt`."
            )
        }
        let wanted = StorageSetup.type(type, withKey: key != nil, engines)
        let factory = try DatabaseOpener(engines: engines, defaultType: wanted).factory(for: wanted)
        guard factory.capabilities.location != .memory else {
            throw StorageError(.invalidStorageType, "A database in files cannot become one of type '\(wanted)'.")
        }
        if key == nil, present.isEncrypted, !decrypt, !factory.capabilities.encrypts {
            throw StorageError(
                .badRequest,
                "The database is encrypted, and with the type '\(wanted)' it would not be any more. Say `decrypt` if "
                    + "that is "
                    + "meant."
            )
        }
        if factory.capabilities.requiresKey, decrypt, present.isEncrypted {
            throw StorageError(
                .badRequest,
                "A database of type '\(wanted)' is always encrypted. Leave `decrypt` out, or name a type that is not."
            )
        }
        if factory.capabilities.requiresKey, key == nil, decrypt || !present.isEncrypted {
            throw StorageError(.badRequest, "A database of type '\(wanted)' is encrypted. Give a key for it.")
        }
        return factory
    }

    /// Checks that contents are files next to the engine, because only those can be moved from one engine to another.
    private func requireFiles(of database: Database, _ factory: any StorageEngineFactory) throws(StorageError) {
        let generation = try database.enter()
        defer { database.leave(generation) }
        guard database.folder != nil, generation.engine.blobStore == nil, factory.capabilities.location == .folder,
            database.setup.capabilities.location == .folder
        else {
            throw ConversionRequest.noFiles
        }
    }

    static let noFiles = StorageError(
        .notImplemented,
        "Only databases in files are converted. Export the documents and import them into a new database."
    )
}

extension StorageKey {
    fileprivate func unless(_ isLeftOut: Bool) -> StorageKey? { isLeftOut ? nil : self }
}
