package import StorageProtocol

/// Removes what killed processes have left partly created or partly removed. Only what can be locked is removed,
/// because a live creator holds a lock on it.
package enum StagingSweep {
    /// Sweeps a folder that contains databases. What cannot be removed stays for a later sweep.
    ///
    /// - Returns: The number of entries removed.
    /// - Throws: An error if the folder cannot be listed.
    @discardableResult
    package static func sweep(_ directory: String) throws(StorageError) -> Int {
        sweep(directory, try Files.names(in: directory))
    }

    /// - Parameter names: The names in the folder.
    @discardableResult
    static func sweep(_ directory: String, _ names: [String]) -> Int {
        var removed = 0
        for name in names where Staging.isStagingName(name) {
            let path = directory + "/" + name
            if (try? remove(path)) == true { removed += 1 }
        }
        return removed
    }

    private static func remove(_ path: String) throws(StorageError) -> Bool {
        guard let info = try Files.info(path, follow: false), info.isDirectory || info.isRegular,
            let lock = try Staging.lock(path, isDirectory: info.isDirectory)
        else { return false }
        defer { lock.release() }
        if info.isDirectory {
            try DirectoryTree.remove(path)
        } else {
            try Files.remove(path)
        }
        return true
    }
}
