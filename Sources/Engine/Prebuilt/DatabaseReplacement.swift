internal import SetteeStorageFiles
internal import StorageProtocol

/// Puts the content of one database in the place of another, or where there is none yet.
struct DatabaseReplacement {
    let source: Database
    /// The folder that is to have the content.
    let path: String

    /// After a kill at any moment the old or the new database is at `path`, whole.
    func run() throws(StorageError) {
        for attempt in 1... {
            try requireClosed()
            do throws(StorageError) {
                if try FolderInfo.identity(of: path) == nil { try create() } else { try replace() }
                return
            } catch {
                // Another thread or process made or deleted it meanwhile.
                guard error.code == .exists || error.code == .notFound, attempt < 5 else { throw error }
            }
        }
    }

    /// The databases of other processes are found by their locks.
    private func requireClosed() throws(StorageError) {
        while true {
            switch try OpenDatabases.registration(path) {
            case .none: return
            case .closing(let database, let closed): try OpenDatabases.wait(for: database, closed)
            case .open:
                throw StorageError(
                    .inUse,
                    "'\(path)' is open in this process. Close the database before it is replaced."
                )
            }
        }
    }

    private func create() throws(StorageError) {
        try DatabaseCopier.copying(source, mayLink: false) { (copier) throws(StorageError) in
            try DatabaseFolder.create(
                at: path,
                storageType: source.storageType,
                prepare: { (data) throws(StorageError) in try copier.copyData(to: data) },
                prepareBlobs: { (blobs) throws(StorageError) in try copier.copyBlobs(to: blobs) }
            )
        }
    }

    /// The next generation of the folder is the copy.
    private func replace() throws(StorageError) {
        let folder = try DatabaseFolder.open(at: path)
        defer { folder.close() }
        if let own = source.folder, own.identity == folder.identity {
            throw StorageError(.badRequest, "A database cannot be replaced by itself.")
        }
        try DatabaseCopier.copying(source, mayLink: false) { (copier) throws(StorageError) in
            let retired = try folder.switchGeneration(
                blobs: .build,
                storageType: source.storageType,
                databaseUUID: Host.uuid(),
                build: { (data) throws(StorageError) in try copier.copyData(to: data) },
                buildBlobs: { (blobs) throws(StorageError) in try copier.copyBlobs(to: blobs) }
            )
            // What cannot be deleted now is swept when the database is opened next.
            try? retired.delete()
        }
    }
}
