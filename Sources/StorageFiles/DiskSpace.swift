package import StorageProtocol

/// Sizes of files and free space on disk.
package enum DiskSpace {
    /// Returns how many bytes this user can still write on the file system of `path`.
    package static func free(at path: String) throws(StorageError) -> UInt64 { try Files.space(at: path).available }

    /// Returns how many bytes a directory with all its content occupies.
    package static func used(by path: String) throws(StorageError) -> UInt64 { try DirectoryTree.size(of: path) }
}
