package import StorageProtocol

/// The generation that was present before a switch. Other processes leave its files alone as long as this lives; what
/// is not deleted is swept at a later open.
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

    /// Removes the old generation's files. Nothing in this process may have them open. A second call does nothing.
    ///
    /// - Throws: what the file system says; the rest is swept at a later open.
    package func delete() throws(StorageError) {
        let parts = self.parts.withLock { parts in
            defer { parts = [] }
            return parts
        }
        for part in parts { try Sweep.removeLocked(folder.path, part.name, part.lock) }
        if copyIsStale { try mendCopy() }
    }

    /// Deleting has made space: what the switch could not write may be possible now.
    private func mendCopy() throws(StorageError) {
        // With a descriptor of its own: another thread of this process may be switching with the folder's.
        let entry = FolderEntry(base: folder.path, name: "gate")
        guard let opened = try entry.openFile() else { return }
        let gate = LockFile(entry.path, opened)
        guard try gate.attempt(.shared) else { return }
        defer { gate.release() }
        guard !folder.isClosed, folder.state.withLock({ $0.manifest }) == manifest else { return }
        try ManifestFiles(folder: folder.path).write(manifest, to: ManifestFiles.copy)
    }
}
