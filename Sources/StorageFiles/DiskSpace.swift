package import StorageProtocol

/// Sizes of things on disk.
package enum DiskSpace {
    /// Bytes that this user can still write where `path` lies.
    package static func free(at path: String) throws(StorageError) -> UInt64 { try Files.space(at: path).available }

    /// Bytes that a directory and all in it occupy.
    package static func used(by path: String) throws(StorageError) -> UInt64 { try DirectoryTree.size(of: path) }
}
