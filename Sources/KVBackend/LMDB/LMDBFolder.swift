internal import StorageProtocol

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The files of a store in its folder.
enum LMDBFolder {
    static let dataName = "data.mdb"
    static let lockName = "lock.mdb"
    /// The size of the table of readers.
    static let lockBytes = 64 << 10
    /// A store that is being made.
    static let newName = "data.new"

    /// Permissions of new files, before the process's mask.
    static let mode: mode_t = 0o644

    static func isToBeCreated(_ directory: String, _ options: StorageOptions) throws(StorageError) -> Bool {
        let names = try LMDBFiles.names(in: directory)
        if names.contains(dataName) { return false }
        // What was left by a creation that was killed.
        guard names.allSatisfy({ $0 == lockName || $0 == newName }) else {
            throw .corrupt("The folder '\(directory)' holds other files, but no '\(dataName)'")
        }
        guard options.create else {
            throw StorageError(
                .notFound,
                "The folder '\(directory)' holds no database. Open it with `create` to make one."
            )
        }
        if options.readOnly { throw .readOnly }
        return true
    }

    /// The folder of a data file.
    static func folder(of path: String) -> String { String(path.dropLast(dataName.utf8.count + 1)) }

    /// The data file's path without symbolic links: LMDB puts its locks beside it, and all who use the file must meet there.
    static func dataFile(in directory: String) throws(StorageError) -> String {
        let path = try LMDBFiles.realPath(directory + "/" + dataName)
        guard path.hasSuffix("/" + dataName) else {
            throw .corrupt("'\(directory)/\(dataName)' leads to a file of another name, '\(path)'")
        }
        let lock = folder(of: path) + "/" + lockName
        guard try LMDBFiles.facts(path)?.isRegular == true else { throw .corrupt("'\(path)' is no regular file") }
        guard !LMDBFiles.isSymbolicLink(lock), try LMDBFiles.facts(lock)?.isRegular != false else {
            throw .corrupt("'\(lock)' is no regular file")
        }
        return path
    }
}
