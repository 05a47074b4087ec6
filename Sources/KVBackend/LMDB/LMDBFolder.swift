internal import SetteeSystemLibrary
internal import StorageProtocol

/// The files of a store in its folder.
enum LMDBFolder {
    static let dataName = "data.mdb"
    static let lockName = "lock.mdb"
    /// The size of the reader table.
    static let lockBytes = 64 << 10
    /// A store that is being created.
    static let newName = "data.new"

    /// Permissions of new files, before the process's mask.
    static let mode: mode_t = 0o644

    static func isToBeCreated(_ directory: String, _ options: StorageOptions) throws(StorageError) -> Bool {
        let names = try StoreFiles.names(in: directory)
        if names.contains(dataName) { return false }
        // Leftovers of a killed creation.
        guard names.allSatisfy({ $0 == lockName || $0 == newName }) else {
            throw .corrupt("The folder '\(directory)' holds other files, but no '\(dataName)'")
        }
        try StoreFiles.requireCreation(in: directory, options)
        return true
    }

    /// Returns the folder of a data file.
    static func folder(of path: String) -> String { String(path.dropLast(dataName.utf8.count + 1)) }

    /// Returns the path of the data file, in a folder without symbolic links, so that all users of the file meet at the
    /// same locks.
    ///
    /// - Throws: `corrupt` (591) if anything but a regular file, such as a link or a folder, has the name of one of our
    ///   files: LMDB would follow a link.
    static func dataFile(in directory: String) throws(StorageError) -> String {
        let folder = try StoreFiles.realPath(directory)
        for name in [dataName, lockName, newName, SuspectMark.name] {
            let path = folder + "/" + name
            guard try StoreFiles.facts(path)?.isRegular ?? (name != dataName) else {
                throw noFile(path)
            }
        }
        return folder + "/" + dataName
    }

    static func noFile(_ path: String) -> StorageError { .corrupt("'\(path)' is no regular file") }
}
