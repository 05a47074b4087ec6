package import StorageProtocol

extension DatabaseFolder {
    /// Creates a database folder, either completely or not at all: it is built under another name beside `path`,
    /// synced, and then renamed. Open it with `open`.
    ///
    /// - Parameters:
    ///   - path: The path of the new folder; its parent exists.
    ///   - members: What the manifest contains about the database.
    ///   - seal: Makes the manifest's MAC, if the database is encrypted.
    ///   - willAppear: Called just before the folder gets its name, with its future identity.
    ///   - prepare: Creates the engine's files in the given folder, closes and syncs them.
    ///   - prepareBlobs: Fills the folder of blobs after that, and syncs it. It may still create files of the engine.
    /// - Throws: `exists` (412) if there is anything at `path`, `fileSystem` (498) if the parent is missing, `readOnly`
    ///   (403), `full` (507), and errors of the closures. Nothing is left then.
    package static func create(
        at path: String,
        members: ManifestMembers,
        seal: (any ManifestSealing)? = nil,
        willAppear: (FileIdentity) -> Void = { _ in },
        prepare: (_ dataDirectory: String) throws(StorageError) -> Void,
        prepareBlobs: (_ blobDirectory: String) throws(StorageError) -> Void = { (_: String) throws(StorageError) in }
    ) throws(StorageError) {
        guard
            members.databaseUUID.utf8.allSatisfy({
                (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) || $0 == 0x2D
            })
        else { throw StorageError(.badParameter, "The UUID of a database consists of hexadecimal digits and hyphens.") }
        let (parent, name) = try place(path)
        let final = parent == "/" ? "/" + name : parent + "/" + name
        guard try Files.info(final, follow: false) == nil else { throw alreadyExists(path) }
        _ = try? StagingSweep.sweep(parent)

        let isEncrypted = members.encryption != nil || !members.keySlots.isEmpty
        let (stagingName, lock) = try Staging.makeDirectory(in: parent, mode: isEncrypted ? 0o700 : 0o777)
        defer { lock.release() }
        let staging = parent + "/" + stagingName
        do {
            var manifest = Manifest(
                serial: 1,
                storageType: members.storageType,
                dataGeneration: 1,
                blobGeneration: 1,
                databaseUUID: members.databaseUUID
            )
            manifest.members = members
            try build(staging, try ManifestCopy(manifest, sealedBy: seal), prepare, prepareBlobs)
            if let identity = try Files.info(staging)?.identity { willAppear(identity) }
            try Files.renameExclusively(staging, to: final)
        } catch {
            _ = try? DirectoryTree.remove(staging)
            throw error.code == .exists && error.errno != nil ? alreadyExists(path) : error
        }
        try Files.syncDirectory(parent)
    }

    private static func build(
        _ folder: String,
        _ copy: ManifestCopy,
        _ prepare: (_ dataDirectory: String) throws(StorageError) -> Void,
        _ prepareBlobs: (_ blobDirectory: String) throws(StorageError) -> Void
    ) throws(StorageError) {
        let manifest = copy.manifest
        for name in [manifest.dataName, manifest.blobName, Holders.directoryName] {
            try Files.makeDirectory(folder + "/" + name)
        }
        for name in lockNames { try Files.makeFile(folder + "/" + name, []) }
        try prepare(folder + "/" + manifest.dataName)
        try prepareBlobs(folder + "/" + manifest.blobName)
        // Only now, because the second closure may also create files of the engine.
        try Files.syncDirectory(folder + "/" + manifest.dataName)
        for name in ManifestFiles.names { try Files.makeFile(folder + "/" + name, copy.text) }
        // The engine has made its files as the umask says.
        if manifest.isEncrypted { Files.makePrivate(folder) }
        try Files.syncDirectory(folder)
    }

    /// Returns the absolute path of the parent and the name in it.
    private static func place(_ path: String) throws(StorageError) -> (parent: String, name: String) {
        try Files.requireUsable(path)
        var parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard let name = parts.popLast(), name != ".", name != ".." else {
            throw StorageError(.badParameter, "'\(path)' names no new folder. Give the path of the database to make.")
        }
        let parent = (path.hasPrefix("/") ? "/" : parts.isEmpty ? "." : "") + parts.joined(separator: "/")
        guard let resolved = try Files.resolve(parent) else {
            throw StorageError(.fileSystem, "The folder '\(parent)' does not exist. Make it first.")
        }
        return (resolved, String(name))
    }

    private static func alreadyExists(_ path: String) -> StorageError {
        StorageError(.exists, "'\(path)' exists already. Open it, choose another name, or delete it first.")
    }
}
