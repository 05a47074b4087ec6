internal import SetteeEngine
internal import SetteeStorageFiles
internal import StorageProtocol

/// Replaces the content of a database with that of another one, or creates the database.
struct DatabaseReplacement {
    let source: Database
    /// The folder that receives the content.
    let path: String
    /// Whether a plain database may replace an encrypted one.
    let decrypt: Bool

    /// If the process is killed at any moment, the old or the new database is at `path`, complete.
    ///
    /// Threads of this process that open the database wait until it is replaced. Databases open in other processes are
    /// detected by their locks.
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
                    // Another process has created or deleted it in the meantime.
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

    /// Makes the copy the next generation of the folder.
    private func replace() throws(StorageError) {
        // No key is required: write access to the folder is enough to delete it anyway.
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
            // If it cannot be deleted now, it is swept when the database is next opened.
            try? retired.delete()
        }
    }

    /// Chooses a copy of the manifest, whoever wrote it, because none of it is kept.
    ///
    /// - Throws: `badRequest` (400) if the database is encrypted and would no longer be.
    private func choose(_ found: DatabaseFolder.Reading) throws(StorageError) -> DatabaseFolder.Choice {
        if found.copies.contains(where: \.manifest.isEncrypted), !source.setup.isEncrypted, !decrypt {
            throw StorageError(
                .badRequest,
                "The database to be replaced is encrypted, and the source is not. Say `decrypt` if that is meant."
            )
        }
        return try found.toBeReplaced()
    }
}
