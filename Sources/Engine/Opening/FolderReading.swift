internal import SetteeStorageFiles
internal import StorageProtocol

/// What an opening makes of a folder's manifest, before anything in the folder is changed.
final class FolderReading {
    private let opener: DatabaseOpener
    private let options: DatabaseOptions
    /// The folder that is to be opened.
    private let identity: FileIdentity
    private var found: StorageSetup?
    /// Whether another folder was found at the path.
    private(set) var hasMoved = false

    init(opener: DatabaseOpener, options: DatabaseOptions, identity: FileIdentity) {
        self.opener = opener
        self.options = options
        self.identity = identity
    }

    /// Says which copy of the manifest counts.
    func choose(_ folder: DatabaseFolder.Reading) throws(StorageError) -> DatabaseFolder.Choice {
        guard folder.identity == identity else {
            hasMoved = true
            throw StorageError(.inUse, "The database was replaced while it was being opened. Open it again.")
        }
        return try folder.plain()
    }

    /// Judges what was asked for, and has the engine look at its files.
    ///
    /// - Throws: `invalidStorageType` (497), `notImplemented` (501), `badParameter` (495), `unauthorized` (401), or
    ///   `unsupportedFormat` (591).
    func authorize(_ type: StorageType, _ dataDirectory: String) throws(StorageError) -> StorageSharing {
        let setup = try setup(for: type)
        try setup.authorize(dataDirectory)
        return setup.capabilities.sharing
    }

    func pendingLog(_ directory: String) throws(StorageError) -> PendingLog {
        try found?.factory.pendingLog(directory: directory) ?? .none
    }

    /// The setup of a database of this type, judged.
    func setup(for type: StorageType) throws(StorageError) -> StorageSetup {
        if let found, found.factory.storageType == type { return found }
        let setup = StorageSetup(try opener.factory(for: type), options)
        try setup.judge(options)
        found = setup
        return setup
    }
}
