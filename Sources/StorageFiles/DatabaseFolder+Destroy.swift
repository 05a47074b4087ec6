package import StorageProtocol

extension DatabaseFolder {
    /// Deletes a database that is not open in any process, either completely or not at all: its name is removed first.
    /// Damaged databases are deleted too; folders that are not databases are not.
    ///
    /// - Throws: `notFound` (404), `inUse` (423) naming the processes that have it open, `unsupportedFormat` (591) if
    ///   it is not a database, `readOnly` (403).
    package static func destroy(
        at path: String,
        timeout: Duration = DatabaseFolder.defaultTimeout
    ) throws(StorageError) {
        guard let resolved = try Files.resolve(path), let identity = try identityToDestroy(resolved),
            let parent = Sweep.parent(of: resolved)
        else { throw StorageError(.notFound, "There is no database at '\(path)'. Check the path.") }
        let gate = try lockToDestroy(resolved, "gate")
        guard try gate.acquire(.exclusive, timeout: timeout) else {
            throw inUse(resolved, "is being opened, replaced or deleted by another process")
        }
        let lock = try lockToDestroy(resolved, "lock")
        guard try lock.attempt(.exclusive) else {
            let others = try Holders.live(resolved).compactMap(\.holder)
            throw inUse(resolved, "is open", holders: others)
        }
        guard try Files.info(resolved)?.identity == identity,
            // Only the process that has just created it can hold it.
            let folder = try lockFolder(resolved, timeout: timeout)
        else { throw inUse(resolved, "was replaced by another process while it was being deleted") }
        defer { folder.release() }
        let staged = (parent == "/" ? "" : parent) + "/" + Staging.name()
        try Files.rename(resolved, to: staged)
        try Files.syncDirectory(parent)
        try DirectoryTree.remove(staged)
    }

    private static func identityToDestroy(_ path: String) throws(StorageError) -> FileIdentity? {
        do {
            guard let identity = try requireFolder(path) else { return nil }
            try Reading(path: path, identity: identity, ManifestFiles(folder: path).read()).requireKnownFormat()
            return identity
        } catch  where error.code == .corrupt {
            return try Files.info(path)?.identity
        }
    }

    /// Creates the lock files if they are missing, as in a copy that omitted empty files.
    private static func lockToDestroy(_ path: String, _ name: String) throws(StorageError) -> LockFile {
        let entry = FolderEntry(base: path, name: name)
        return LockFile(entry.path, try entry.openOrMakeFile())
    }

    private static func lockFolder(_ path: String, timeout: Duration) throws(StorageError) -> LockFile? {
        var wait = Waiting(timeout: timeout)
        repeat {
            if let lock = try Staging.lock(path, isDirectory: true) { return lock }
        } while wait.pause()
        return nil
    }
}
