internal import SetteeEncryption
internal import SetteeEngine
internal import SetteeStorageFiles
internal import StorageProtocol

/// Copies one state of a database into folders that are being built: its records, with new UUIDs, and the contents of
/// attachments that this state refers to.
final class DatabaseCopier {
    private let source: Database
    private let generation: OpenGeneration
    private let folder: DatabaseFolder
    /// The members of the copy's manifest: those of the source, with another UUID.
    let members: ManifestMembers
    /// Computes its MAC.
    let seal: ManifestSeal?
    /// How the copy's stores are opened.
    private let setup: StorageSetup
    /// Whether the copy may share the files of attachments.
    private let mayLink: Bool
    private var blobs: [String] = []

    private init(
        _ source: Database,
        _ generation: OpenGeneration,
        _ folder: DatabaseFolder,
        _ members: ManifestMembers,
        _ setup: StorageSetup,
        mayLink: Bool
    ) throws(StorageError) {
        self.setup = setup
        seal = try setup.keys?.seal(of: members.databaseUUID)
        self.source = source
        self.generation = generation
        self.members = members
        self.folder = folder
        self.mayLink = mayLink
    }

    /// Runs `body` with a copier of `source`. Until it returns, no process deletes attachments that its state refers
    /// to. Other threads and processes may write; a commit made while records are copied is either completely in the
    /// copy or not at all.
    ///
    /// - Throws: Whatever `body` throws; `callback` (593) inside a transaction, snapshot or closure on `source`,
    ///   `notImplemented` (501) for a database in memory, or of a type that cannot be copied, `unsupportedFormat` (591)
    ///   if the source requires a newer program to write it, `notOpen` (503).
    static func copying<R>(
        _ source: Database,
        mayLink: Bool,
        _ body: (DatabaseCopier) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        guard ThreadContext.current.activity(on: source) == nil else {
            throw StorageError(.callback, "A database cannot be copied from inside its own transaction or closure.")
        }
        guard let folder = source.folder else {
            throw StorageError(
                .notImplemented,
                "A database in memory has no files to copy. Export its documents and import them elsewhere."
            )
        }
        try source.requireNothingLost()
        let (generation, manifest) = try present(of: source, folder)
        defer { source.leave(generation) }
        guard generation.setup.capabilities.canCopy else {
            throw StorageError(
                .notImplemented,
                "Databases of type '\(source.storageType)' cannot be copied. Export the database and import that "
                    + "elsewhere."
            )
        }
        var members = manifest.members
        guard members.minWriter <= Manifest.knownVersion else {
            throw StorageError(
                .unsupportedFormat,
                "'\(folder.path)' asks for a program that writes version \(members.minWriter), and so would a copy. "
                    + "Copy it with "
                    + "a newer version of Settee."
            )
        }
        members.databaseUUID = Host.uuid()
        let setup = try generation.setup.next()
        if let keys = setup.keys { try members.encrypt(with: keys) }
        let epoch = source.beginBlobSnapshot()
        defer { source.endBlobSnapshot(epoch) }
        return try body(DatabaseCopier(source, generation, folder, members, setup, mayLink: mayLink))
    }

    /// Returns the current generation, counted as in use until `leave`, and its manifest. During a switch the manifest
    /// is already that of the next generation.
    private static func present(
        of source: Database,
        _ folder: DatabaseFolder
    ) throws(StorageError) -> (OpenGeneration, Manifest) {
        while true {
            let generation = try source.enter()
            let manifest = folder.manifest
            if manifest.dataGeneration == generation.number { return (generation, manifest) }
            source.leave(generation)
            Host.sleep(nanoseconds: 1_000_000)
        }
    }

    /// How processes can share the copy.
    var sharing: StorageSharing { setup.capabilities.sharing }

    /// Writes the records into an empty folder and syncs them.
    func copyData(to directory: String) throws(StorageError) {
        let gate = ThreadContext.current.gate
        try generation.engine.copy(toDirectory: directory, options: setup.copyOptions) {
            (_, _) throws(StorageError) in
            try gate?.check()
        }
        let copy = try setup.openCopy(in: directory, durability: .full)
        defer { copy.close() }
        try copy.write { (transaction) throws(StorageError) in try DatabaseIdentity.renew(in: transaction) }
        blobs = []
        try copy.read { (transaction) throws(StorageError) in
            try transaction.orderedBlobReferences { (reference) throws(StorageError) in
                if reference.count > 0 { blobs.append(reference.storageName) }
                return true
            }
        }
        try copy.checkpoint()
    }

    /// Copies or links the contents that the copied records refer to, and syncs them. Called after `copyData`.
    func copyBlobs(to directory: String) throws(StorageError) {
        guard !blobs.isEmpty else { return }
        var blobImport = BlobImport(from: try generation.blobs.files(), to: directory, mayLink: mayLink)
        let gate = ThreadContext.current.gate
        for name in blobs {
            try gate?.check()
            try blobImport.bring(name) { (_) throws(StorageError) in try gate?.check() }
        }
        try blobImport.sync()
    }
}
