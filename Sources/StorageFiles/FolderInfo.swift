package import StorageProtocol

/// What callers need to know of folders before they open one.
package enum FolderInfo {
    /// The device and inode behind `path`, links followed; nil where there is nothing.
    package static func identity(of path: String) throws(StorageError) -> FileIdentity? {
        try Files.info(path)?.identity
    }

    /// What a path leads to, however it is written: the folder that is there, or the name that is free in a folder.
    /// Where not even that is there it is the path itself.
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

    /// The names in a folder, in no order.
    package static func names(in path: String) throws(StorageError) -> [String] { try Files.names(in: path) }

    /// Makes a folder with all that is missing above it. Nothing happens where it is there.
    ///
    /// - Throws: `fileSystem` (498) where something else is in the way, `readOnly` (403), `full` (507).
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
        _ = try Files.makeDirectoryIfMissing(path)
    }
}

/// Where a database folder is or may come to be.
package enum FolderPlace: Hashable, Sendable {
    case folder(FileIdentity)
    /// Nothing of this name is there yet.
    case name([UInt8], in: FileIdentity)
}
