package import StorageProtocol

/// The generation that was current before a switch. Other processes leave its files alone as long as this object lives.
/// What is not deleted is swept at a later open.
package final class RetiredGeneration: Sendable {
    struct Folder {
        var name: String
        var lock: LockFile
    }

    private let folder: DatabaseFolder
    private let manifest: ManifestCopy
    private let parts: Locked<[Folder]>
    private let copyIsStale: Bool

    init(folder: DatabaseFolder, manifest: ManifestCopy, parts: [Folder], copyIsStale: Bool) {
        self.folder = folder
        self.manifest = manifest
        self.parts = Locked(parts)
        self.copyIsStale = copyIsStale
    }

    /// Removes the old generation's files. This process must not have them open. A second call does nothing.
    ///
    /// - Throws: Errors of the file system. The rest is swept at a later open.
    package func delete() throws(StorageError) {
        let parts = self.parts.withLock { parts in
            defer { parts = [] }
            return parts
        }
        // At the path is another database, or nothing.
        guard folder.isInPlace else { return }
        for part in parts { try Sweep.removeLocked(folder.path, part.name, part.lock) }
        if copyIsStale { try mendCopy() }
    }

    /// Writes the second copy of the manifest if the switch could not: deleting has freed space.
    private func mendCopy() throws(StorageError) {
        // With a descriptor of its own, because another thread of this process may be switching with the folder's.
        let entry = FolderEntry(base: folder.path, name: "gate")
        guard let opened = try entry.openFile() else { return }
        let gate = LockFile(entry.path, opened)
        guard try gate.attempt(.shared) else { return }
        defer { gate.release() }
        guard !folder.isClosed, folder.state.withLock({ $0.manifest }) == manifest else { return }
        try ManifestFiles(folder: folder.path).write(manifest, to: ManifestFiles.copy)
    }
}
