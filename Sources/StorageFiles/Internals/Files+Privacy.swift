internal import CSetteeStorageFiles
internal import StorageProtocol

/// Who may open files. The folder of an encrypted database, and all in it, is its owner's alone (0700 and 0600); the
/// permissions of others are the umask's.
extension Files {
    /// Returns the mode for a file or folder to be made: the owner's alone if the folder that it is in is that.
    static func mode(inFolderOf path: String, _ mode: Int32) -> Int32 {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        return isPrivate(folder) ? mode & 0o700 : mode
    }

    static func isPrivate(_ path: String) -> Bool {
        guard let info = try? info(path) else { return false }
        return info.mode & 0o077 == 0
    }

    /// Makes a file or folder and all below it its owner's alone. Files that have other names are left alone, because
    /// those may be in the folder of another database. Where the file system has no modes nothing happens.
    static func makePrivate(_ path: String) {
        guard let info = try? info(path, follow: false) else { return }
        if info.isDirectory {
            _ = unsafe csf_chmod(path, 0o700)
            for name in (try? names(in: path)) ?? [] { makePrivate(path + "/" + name) }
        } else if info.isRegular, info.links <= 1 {
            _ = unsafe csf_chmod(path, 0o600)
        }
    }
}
