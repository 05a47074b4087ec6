internal import SetteeStorageFiles
internal import StorageProtocol

/// Puts the content of one database in the place of another, or where there is none yet.
struct DatabaseReplacement {
    let source: Database
    /// The folder that is to have the content.
    let path: String
    /// Whether a plain database may take the place of an encrypted one.
    let decrypt: Bool

    /// After a kill at any moment the old or the new database is at `path`, whole.
    ///
    /// Who wants to open it in this process waits until it is replaced. The databases of other processes are found by
    /// their locks.
    func run() throws(StorageError) {
        try Log.holdingBack { () throws(StorageError) in
            for attempt in 1... {
                guard case .occupied(let occupancy) = try OpenDatabases.occupy(path) else {
                    throw StorageError(
                        .inUse,
                        "'\(path)' is open in this process. Close the database before it is replaced."
                    )
                }
                defer { occupancy.release() }
                do throws(StorageError) {
                    if occupancy.folder == nil { try create(occupancy) } else { try replace() }
                    return
                } catch {
                    // Another process made or deleted it meanwhile.
                    guard error.code == .exists || error.code == .notFound, attempt < 5 else { throw error }
                }
            }
        }
    }

    private func create(_ occupancy: Occupancy) throws(StorageError) {
        try DatabaseCopier.copying(source, mayLink: false) { (copier) throws(StorageError) in
            try DatabaseFolder.create(
                at: path,
                members: copier.members,
                seal: copier.seal,
                willAppear: { occupancy.extend(to: $0) },
                prepare: { (data) throws(StorageError) in try copier.copyData(to: data) },
                prepareBlobs: { (blobs) throws(StorageError) in try copier.copyBlobs(to: blobs) }
            )
        }
    }

    /// The next generation of the folder is the copy.
    private func replace() throws(StorageError) {
        // No key is asked for: write access to the folder is enough to delete it anyway.
        let folder = try DatabaseFolder.open(
            at: path,
            isToBeReplaced: true,
            choose: { (found) throws(StorageError) in try choose(found) }
        )
        defer { folder.close() }
        if let own = source.folder, own.identity == folder.identity {
            throw StorageError(.badRequest, "A database cannot be replaced by itself.")
        }
        try DatabaseCopier.copying(source, mayLink: false) { (copier) throws(StorageError) in
            let retired = try folder.switchGeneration(
                blobs: .build,
                members: copier.members,
                seal: copier.seal,
                sharing: copier.sharing,
                build: { (data) throws(StorageError) in try copier.copyData(to: data) },
                buildBlobs: { (blobs) throws(StorageError) in try copier.copyBlobs(to: blobs) }
            )
            // What cannot be deleted now is swept when the database is opened next.
            try? retired.delete()
        }
    }

    /// The newest copy, whoever wrote it: nothing of it stays.
    ///
    /// - Throws: `badRequest` (400) where what was encrypted would not be any more.
    private func choose(_ found: DatabaseFolder.Reading) throws(StorageError) -> DatabaseFolder.Choice {
        if found.copies.contains(where: \.manifest.isEncrypted), !source.setup.isEncrypted, !decrypt {
            throw StorageError(
                .badRequest,
                "The database to be replaced is encrypted, and the source is not. Say `decrypt` if that is meant."
            )
        }
        return DatabaseFolder.Choice(found.copies[0])
    }
}
