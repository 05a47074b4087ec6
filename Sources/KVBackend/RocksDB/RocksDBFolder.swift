#if RocksDB
internal import SetteeSystemLibrary
internal import StorageProtocol

/// The files of a store: RocksDB's database in a folder inside of the store's.
enum RocksDBFolder {
    static let name = "rocksdb"
    /// A database that is being made.
    static let newName = "rocksdb.new"
    /// What RocksDB's checkpoints add to a name while they write.
    static let unfinishedSuffix = ".tmp"

    /// Whether the store is to be created.
    ///
    /// - Throws: `notFound` (404) if it is missing and not to be created, `corrupt` (591) for a folder with other files
    ///   alone, or with links.
    static func isToBeCreated(in directory: String, _ options: StorageOptions) throws(StorageError) -> Bool {
        let names = try StoreFiles.names(in: directory)
        if names.contains(name) {
            try options.requireNoneToBeBuilt()
            try requireOwnFiles(in: directory + "/" + name)
            return false
        }
        // Leftovers of a killed creation or copy.
        guard names.allSatisfy({ [newName, name + unfinishedSuffix, StoreFiles.trialName].contains($0) }) else {
            throw .corrupt("The folder '\(directory)' holds other files, but no folder '\(name)'")
        }
        try StoreFiles.requireCreation(in: directory, options)
        return true
    }

    /// RocksDB follows links, and deletes in its folder what it takes for its own.
    ///
    /// - Throws: `corrupt` (591) if the folder is none, or has anything but regular files in it.
    private static func requireOwnFiles(in folder: String) throws(StorageError) {
        guard try StoreFiles.facts(folder)?.isFolder == true else { throw .corrupt("'\(folder)' is no folder") }
        for name in try StoreFiles.names(in: folder) {
            let path = folder + "/" + name
            // It may have been deleted since by the engine that has the files.
            guard try StoreFiles.facts(path)?.isRegular ?? true else {
                throw .corrupt("'\(path)' is no regular file")
            }
        }
    }

    /// An opening writes a manifest and more. Where that fails in the middle, an assertion of the library can end the
    /// process.
    ///
    /// - Throws: `full` (507) if the disk of the database accepts next to nothing.
    static func requireRoom(for path: String) throws(StorageError) {
        guard let slash = path.lastIndex(of: "/"), StoreFiles.isFull(in: String(path[..<slash])) else { return }
        throw StorageError(
            .full,
            "Opening the files of RocksDB failed: the disk, or a quota on it, is full. Free disk space, or open "
                + "read-only."
        )
    }

    /// Removes what is left of a creation that did not end.
    static func removeUnfinished(in directory: String) throws(StorageError) {
        StoreFiles.remove(directory + "/" + StoreFiles.trialName)
        for name in [newName, name + unfinishedSuffix] {
            let folder = directory + "/" + name
            guard let facts = try StoreFiles.facts(folder) else { continue }
            guard facts.isFolder else { throw .corrupt("'\(folder)' is no folder") }
            // Links are removed and not followed.
            for name in try StoreFiles.names(in: folder) { StoreFiles.remove(folder + "/" + name) }
            guard unsafe rmdir(folder) == 0 else { throw StoreFiles.failure("remove", folder) }
        }
    }
}
#endif
