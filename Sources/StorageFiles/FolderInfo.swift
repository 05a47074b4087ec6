package import StorageProtocol

/// What callers need to know about folders before they open one.
package enum FolderInfo {
    /// Returns the device and inode of `path`, with links followed; nil if there is nothing.
    package static func identity(of path: String) throws(StorageError) -> FileIdentity? {
        try Files.info(path)?.identity
    }

    /// Returns what a path leads to, however it is written: the existing folder, or a free name in an existing folder.
    /// If not even that folder exists, returns the path itself.
    package static func place(of path: String) throws(StorageError) -> FolderPlace {
        try Files.requireUsable(path)
        if let identity = try identity(of: path) { return .folder(identity) }
        var parts = path.split(separator: "/", omittingEmptySubsequences: true)
        let name = parts.popLast().map(String.init) ?? path
        let parent = (path.hasPrefix("/") ? "/" : parts.isEmpty ? "." : "") + parts.joined(separator: "/")
        guard let folder = try identity(of: parent) else {
            return .name(Array(path.utf8), in: FileIdentity(device: 0, inode: 0))
        }
        return .name(Array(name.utf8), in: folder)
    }

    /// Returns the names in a folder, in no particular order.
    package static func names(in path: String) throws(StorageError) -> [String] { try Files.names(in: path) }

    /// Creates a folder with all missing folders above it. Does nothing if it exists.
    ///
    /// - Throws: `fileSystem` (498) if something else is in the way, `readOnly` (403), `full` (507).
    package static func make(_ path: String) throws(StorageError) {
        if let info = try Files.info(path) {
            guard info.isDirectory else {
                throw StorageError(
                    .fileSystem,
                    "'\(path)' is in the way: it is no folder. Remove it or use another path."
                )
            }
            return
        }
        let above = path.split(separator: "/", omittingEmptySubsequences: true).dropLast().joined(separator: "/")
        if !above.isEmpty { try make((path.hasPrefix("/") ? "/" : "") + above) }
        _ = try Files.makeDirectoryIfMissing(path, mode: 0o777)
    }
}

/// The location of a database folder that exists or could be created.
package enum FolderPlace: Hashable, Sendable {
    case folder(FileIdentity)
    /// There is nothing with this name yet.
    case name([UInt8], in: FileIdentity)
}
