#if RocksDB
internal import CSetteeOwnership
internal import SetteeSystemLibrary
internal import StorageProtocol

/// The files of a store: RocksDB's database in a folder inside of the store's.
enum RocksDBFolder {
    static let name = "rocksdb"
    /// The file that RocksDB locks.
    private static let lockName = "LOCK"
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
            try requireOwnFiles(in: directory + "/" + name, areWritten: !options.readOnly)
            return false
        }
        // Leftovers of a killed creation or copy.
        guard names.allSatisfy({ [newName, name + unfinishedSuffix, StoreFiles.trialName].contains($0) }) else {
            throw .corrupt("The folder '\(directory)' holds other files, but no folder '\(name)'")
        }
        try StoreFiles.requireCreation(in: directory, options)
        return true
    }

    /// RocksDB follows links, deletes in its folder what it takes for its own, and writes over a file that has the name
    /// of one that it makes.
    ///
    /// - Parameter areWritten: whether a file may have no second name, because that may belong to something else. Table
    ///   files, options, and logs but the last one, are never written again, and copies of the store link them.
    /// - Throws: `corrupt` (591) if the folder is none, or has anything but regular files in it.
    private static func requireOwnFiles(in folder: String, areWritten: Bool) throws(StorageError) {
        guard try StoreFiles.facts(folder)?.isFolder == true else { throw .corrupt("'\(folder)' is no folder") }
        let names = try StoreFiles.names(in: folder)
        let lastLog = names.filter { $0.hasSuffix(".log") }.max { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
        for name in names {
            let path = folder + "/" + name
            // It may have been deleted since by the engine that has the files.
            guard let facts = try StoreFiles.facts(path) else { continue }
            guard facts.isRegular else { throw .corrupt("'\(path)' is no regular file") }
            guard areWritten, facts.links > 1, !isComplete(name), !name.hasSuffix(".log") || name == lastLog else {
                continue
            }
            throw .corrupt("'\(path)' has a second name (a hard link), which may be another program's file")
        }
    }

    /// Whether a file got its name when it was complete: a table file, or options (`OPTIONS-000012`), which are
    /// renamed.
    private static func isComplete(_ name: String) -> Bool {
        name.hasSuffix(".sst") || name.hasPrefix("OPTIONS-") && name.utf8.dropFirst(8).allSatisfy { 48...57 ~= $0 }
    }

    /// Makes the folder of a database that is to be created, and the file that RocksDB locks: as root, for the owner of
    /// the store's folder.
    static func make(_ path: String) throws(StorageError) {
        try requireRoom(for: path)
        var result = unsafe cso_mkdir(path, 0o755)
        if result == 0 {
            result = unsafe cso_open(AT_FDCWD, path + "/" + lockName, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        }
        guard result >= 0 else {
            errno = -result
            throw StoreFiles.failure("make", path)
        }
        _ = close(result)
    }

    /// As root, gives what RocksDB has made since it was opened to the owner of the folder.
    static func adoptFiles(in folder: String, since time: time_t) { unsafe cso_adopt_new(folder, time, lockName) }

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
