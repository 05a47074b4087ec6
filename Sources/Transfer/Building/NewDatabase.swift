internal import SetteeEncryption
internal import SetteeEngine
internal import SetteeStorageFiles
internal import StorageProtocol

/// The settings of a database that is about to be built: its engine, its manifest, and new keys if it is to be
/// encrypted.
struct NewDatabase {
    let setup: StorageSetup
    let members: ManifestMembers
    let seal: ManifestSeal?

    /// - Throws: `invalidStorageType` (497), `badRequest` (400) if a key is needed, `notImplemented` (501).
    init(_ options: DatabaseOptions, engines: [any StorageEngineFactory]) throws(StorageError) {
        let opener = DatabaseOpener(engines: engines, defaultType: .sqlite)
        let type = StorageSetup.type(options.storageType ?? .sqlite, withKey: options.key != nil, engines)
        let factory = try opener.factory(for: type)
        guard factory.capabilities.location == .folder else {
            throw StorageError(.invalidStorageType, "A database of type '\(type)' cannot be built at a path.")
        }
        try StorageSetup(factory, options).judge(options, engines: engines)
        var members = ManifestMembers(storageType: type)
        guard let key = options.key else {
            guard !factory.capabilities.requiresKey else {
                throw StorageError(.badRequest, "A database of type '\(type)' is encrypted. Give a key for it.")
            }
            setup = StorageSetup(factory, options)
            self.members = members
            seal = nil
            return
        }
        guard let cipher = factory.capabilities.cipher else {
            throw StorageError(.unexpected, "The engine of type '\(type)' does not say how it encrypts.")
        }
        let new = try NewKeys(for: key, options.keyDerivation, cipher: cipher)
        try members.encrypt(with: new.generation, slots: [new.slot.text])
        setup = StorageSetup(factory, options, keys: new.generation)
        self.members = members
        seal = try new.generation.seal(of: members.databaseUUID)
    }
}
